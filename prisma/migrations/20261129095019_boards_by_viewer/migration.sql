-- Before all else, as who changes a repo locks it before what follows from that. A repo that changes meanwhile waits until the commit.
LOCK TABLE repos IN SHARE ROW EXCLUSIVE MODE;

-- DropIndex
DROP INDEX "rollouts_robot_repo_id_task_fingerprint_idx";

-- AlterTable
ALTER TABLE "rollouts" ADD COLUMN "model_is_public" BOOLEAN,
  ADD COLUMN "model_owner_id" TEXT;

CREATE OR REPLACE FUNCTION follow_repo() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE repo_bodies SET owner_id = new.owner_id, is_public = new.visibility = 'public' WHERE repo_id = new.id;
  UPDATE dataset_checks SET owner_id = new.owner_id WHERE repo_id = new.id AND owner_id <> new.owner_id;
  UPDATE rollouts SET model_owner_id = new.owner_id, model_is_public = new.visibility = 'public' WHERE model_repo_id = new.id;
  RETURN NULL;
END $$;
UPDATE rollouts x SET model_owner_id = r.owner_id, model_is_public = r.visibility = 'public' FROM repos r WHERE r.id = x.model_repo_id;
ALTER TABLE "rollouts" ALTER COLUMN "model_is_public" SET NOT NULL,
  ALTER COLUMN "model_owner_id" SET NOT NULL;
-- An instance of an older version, which may run during an update, does not write the columns. A repo that it publishes for is locked.
CREATE FUNCTION rollout_model() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT r.owner_id, r.visibility = 'public' INTO new.model_owner_id, new.model_is_public FROM repos r WHERE r.id = new.model_repo_id;
  RETURN new;
END $$;
CREATE TRIGGER rollouts_model BEFORE INSERT ON rollouts FOR EACH ROW WHEN (new.model_owner_id IS NULL) EXECUTE FUNCTION rollout_model();

CREATE INDEX rollouts_public ON rollouts (robot_repo_id, task, fingerprint) INCLUDE (created_at) WHERE model_is_public;
CREATE INDEX rollouts_private ON rollouts (robot_repo_id, model_owner_id, task, fingerprint) WHERE NOT model_is_public;
CREATE INDEX rollouts_public_best ON rollouts (robot_repo_id, fingerprint, lowest DESC) WHERE model_is_public;
CREATE INDEX rollouts_private_best ON rollouts (robot_repo_id, model_owner_id, fingerprint, lowest DESC) WHERE NOT model_is_public;
