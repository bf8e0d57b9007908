-- A name in a filter means the repo that has it now. What named a repo keeps its id, so a name that is taken again finds nothing of the one before.

-- DropIndex
DROP INDEX "robot_checks_owner_id_robot_repo_name_status_executor_id_idx";
DROP INDEX robot_checks_made_for_others_by_robot;

-- AlterTable
ALTER TABLE "model_meta" ADD COLUMN     "robot_repo_id" TEXT;

-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "robot_repo_id" TEXT;

-- CreateIndex
CREATE INDEX "robot_checks_owner_id_robot_repo_id_status_executor_id_idx" ON "robot_checks"("owner_id", "robot_repo_id", "status", "executor", "id");
-- CreateIndex
CREATE INDEX "endpoints_owner_id_model_repo_id_id_idx" ON "endpoints"("owner_id", "model_repo_id", "id");

CREATE INDEX robot_checks_made_for_others_by_robot ON robot_checks (created_by, robot_repo_id, status, executor, id)
  WHERE created_by <> owner_id;

-- What a run named at its creation has a reference.
UPDATE runs u SET robot_repo_id = f.repo_id FROM repo_references f
  WHERE f.referrer_id = u.id AND f.reason = 'robot' AND f.referrer_kind = 'run';
-- Nothing says what a model named when it was written: the robot of that name, if the model's owner sees it.
UPDATE model_meta m SET robot_repo_id = robot.id
  FROM repos model, repos robot, accounts owner
  WHERE model.id = m.repo_id AND robot.kind = 'robot' AND owner.id = robot.owner_id
    AND lower(m.robot) = owner.handle || '/' || robot.slug
    AND (robot.visibility = 'public' OR robot.owner_id = model.owner_id
      OR EXISTS (SELECT 1 FROM memberships WHERE org_id = robot.owner_id AND user_id = model.owner_id));

-- Names that no repo had are text.
DROP INDEX model_meta_robot;
CREATE INDEX model_meta_robot ON model_meta (lower(robot)) WHERE robot_repo_id IS NULL;
CREATE INDEX model_meta_robot_repo ON model_meta (robot_repo_id) WHERE robot_repo_id IS NOT NULL;
DROP INDEX runs_robot;
CREATE INDEX runs_robot ON runs (owner_id, lower(robot), id DESC) WHERE robot IS NOT NULL AND robot_repo_id IS NULL;
CREATE INDEX runs_robot_repo ON runs (owner_id, robot_repo_id, id DESC) WHERE robot_repo_id IS NOT NULL;
-- The facet counts read this alone.
DROP INDEX runs_facets;
CREATE INDEX runs_facets ON runs (owner_id) INCLUDE (kind, status, executor, robot, robot_repo_id, gate_total);
