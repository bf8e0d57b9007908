-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "config_bytes" INTEGER,
ADD COLUMN     "scorecard_bytes" INTEGER,
ADD COLUMN     "stored_bytes" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "summary_bytes" INTEGER;

-- What runs keep counts from now on. The sizes of configs, scorecards and import summaries stand in the object store: a job counts those in.
UPDATE runs u SET stored_bytes = k.bytes
FROM (
  SELECT run_id, sum(bytes)::bigint AS bytes FROM (
    SELECT run_id, sum(byte_count)::bigint AS bytes FROM run_log_chunks WHERE storage_key IS NOT NULL GROUP BY run_id
    UNION ALL
    SELECT run_id, sum(octet_length(line::text) + 1)::bigint FROM run_metrics GROUP BY run_id
  ) parts GROUP BY run_id
) k
WHERE u.id = k.run_id;
UPDATE accounts a SET storage_bytes = a.storage_bytes + r.bytes
FROM (SELECT owner_id, sum(stored_bytes)::bigint AS bytes FROM runs GROUP BY owner_id) r
WHERE a.id = r.owner_id AND r.bytes > 0;
ALTER TABLE runs
  ADD CONSTRAINT runs_bytes_counted CHECK (stored_bytes >= 0 AND config_bytes >= 0 AND scorecard_bytes >= 0 AND summary_bytes >= 0);
CREATE INDEX runs_unmeasured ON runs (id) WHERE (config_key IS NOT NULL AND config_bytes IS NULL)
  OR (scorecard_key IS NOT NULL AND scorecard_bytes IS NULL) OR (kind = 'external' AND summary_bytes IS NULL);
