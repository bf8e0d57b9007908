-- Pages of checks compare rows with the columns of one index, all in the same direction. A filter adds its columns before the id.
DROP INDEX "robot_checks_owner_id_id_idx";
DROP INDEX robot_checks_made_for_others;
DROP INDEX robot_checks_robot;
DROP INDEX robot_checks_model;
DROP INDEX robot_checks_robot_for_others;
DROP INDEX robot_checks_model_for_others;

-- CreateIndex
CREATE INDEX "robot_checks_owner_id_id_idx" ON "robot_checks"("owner_id", "id");

-- CreateIndex
CREATE INDEX "robot_checks_owner_id_status_executor_id_idx" ON "robot_checks"("owner_id", "status", "executor", "id");

-- CreateIndex
CREATE INDEX "robot_checks_owner_id_robot_repo_name_status_executor_id_idx" ON "robot_checks"("owner_id", "robot_repo_name", "status", "executor", "id");

-- What a person made for other accounts, of which they may be no more.
CREATE INDEX robot_checks_made_for_others ON robot_checks (created_by, id) WHERE created_by <> owner_id;
CREATE INDEX robot_checks_made_for_others_by_status ON robot_checks (created_by, status, executor, id) WHERE created_by <> owner_id;
CREATE INDEX robot_checks_made_for_others_by_robot ON robot_checks (created_by, robot_repo_name, status, executor, id)
  WHERE created_by <> owner_id;

-- Checks of a repo.
CREATE INDEX robot_checks_robot ON robot_checks (owner_id, robot_repo_id, id) WHERE robot_repo_id IS NOT NULL;
CREATE INDEX robot_checks_robot_by_status ON robot_checks (owner_id, robot_repo_id, kind, status, executor, id)
  WHERE robot_repo_id IS NOT NULL;
CREATE INDEX robot_checks_model ON robot_checks (owner_id, model_repo_id, id) WHERE model_repo_id IS NOT NULL;
CREATE INDEX robot_checks_model_by_status ON robot_checks (owner_id, model_repo_id, kind, status, executor, id)
  WHERE model_repo_id IS NOT NULL;
CREATE INDEX robot_checks_robot_for_others ON robot_checks (created_by, robot_repo_id, id)
  WHERE robot_repo_id IS NOT NULL AND created_by <> owner_id;
CREATE INDEX robot_checks_robot_for_others_by_status ON robot_checks (created_by, robot_repo_id, kind, status, executor, id)
  WHERE robot_repo_id IS NOT NULL AND created_by <> owner_id;
CREATE INDEX robot_checks_model_for_others ON robot_checks (created_by, model_repo_id, id)
  WHERE model_repo_id IS NOT NULL AND created_by <> owner_id;
CREATE INDEX robot_checks_model_for_others_by_status ON robot_checks (created_by, model_repo_id, kind, status, executor, id)
  WHERE model_repo_id IS NOT NULL AND created_by <> owner_id;
