-- AlterTable
ALTER TABLE "robot_checks" ADD COLUMN     "client_log_gaps" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
ADD COLUMN     "client_log_seq" BIGINT,
ADD COLUMN     "stored_bytes" BIGINT NOT NULL DEFAULT 0;

-- Checks of a model repo, newest first.
CREATE INDEX robot_checks_model ON robot_checks (model_repo_id, id DESC) WHERE model_repo_id IS NOT NULL;

-- Artifacts that no report named by the end of their check are not kept; all others count in the storage of its owner, as does the log.
DELETE FROM robot_check_artifacts a USING robot_checks c WHERE c.id = a.check_id AND c.finished_at IS NOT NULL AND a.sha256 IS NULL;
UPDATE robot_checks c SET stored_bytes = c.log_bytes + coalesce((SELECT sum(a.size) FROM robot_check_artifacts a WHERE a.check_id = c.id), 0);
UPDATE accounts a SET storage_bytes = a.storage_bytes + n.bytes
  FROM (SELECT owner_id, sum(stored_bytes) AS bytes FROM robot_checks GROUP BY owner_id) n WHERE a.id = n.owner_id AND n.bytes > 0;

-- Artifacts whose upload is open, by the key under which the store lists it.
CREATE INDEX robot_check_artifacts_open ON robot_check_artifacts (storage_key) WHERE sha256 IS NULL;
