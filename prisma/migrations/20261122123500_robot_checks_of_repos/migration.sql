-- Checks of a repo, newest first, for one account that is billed or one person who made them for others.
DROP INDEX robot_checks_robot;
DROP INDEX robot_checks_model;
CREATE INDEX robot_checks_robot ON robot_checks (robot_repo_id, owner_id, id DESC) WHERE robot_repo_id IS NOT NULL;
CREATE INDEX robot_checks_model ON robot_checks (model_repo_id, owner_id, id DESC) WHERE model_repo_id IS NOT NULL;
CREATE INDEX robot_checks_robot_for_others ON robot_checks (robot_repo_id, created_by, id DESC)
  WHERE robot_repo_id IS NOT NULL AND created_by <> owner_id;
CREATE INDEX robot_checks_model_for_others ON robot_checks (model_repo_id, created_by, id DESC)
  WHERE model_repo_id IS NOT NULL AND created_by <> owner_id;
