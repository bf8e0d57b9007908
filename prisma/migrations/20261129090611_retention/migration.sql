-- AlterTable
ALTER TABLE "robot_checks" ADD COLUMN     "log_first" INTEGER;

-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "log_first" INTEGER;

-- CreateTable
CREATE TABLE "log_purges" (
    "job_id" TEXT NOT NULL,
    "job_kind" TEXT NOT NULL,
    "before_seq" INTEGER NOT NULL,
    "dropped_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "log_purges_pkey" PRIMARY KEY ("job_id")
);

-- CreateIndex
CREATE INDEX "log_purges_job_kind_dropped_at_idx" ON "log_purges"("job_kind", "dropped_at");

-- What retention has yet to look at; no report changes a column of either.
CREATE INDEX runs_log_kept ON runs (finished_at) WHERE finished_at IS NOT NULL AND log_first IS NULL;
CREATE INDEX robot_checks_log_kept ON robot_checks (finished_at) WHERE finished_at IS NOT NULL AND log_first IS NULL;

-- Entries past their retention may go: those that are older than the hub's shortest retention (AUDIT_KEPT_LEAST), in a
-- transaction that says so. No other delete may, no update, and no truncate.
CREATE FUNCTION refuse_young_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF old.at < now() - interval '32 days' AND current_setting('hub.audit_retention', true) = 'on' THEN
    RETURN old;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
DROP TRIGGER audit_log_append_only ON audit_log;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_keeps_young BEFORE DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_young_entry();
