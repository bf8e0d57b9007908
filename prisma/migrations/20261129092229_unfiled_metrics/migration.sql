-- CreateTable
CREATE TABLE "unfiled_metrics" (
    "run_id" TEXT NOT NULL,
    "waits_from" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "unfiled_metrics_pkey" PRIMARY KEY ("run_id")
);

-- CreateIndex
CREATE INDEX "unfiled_metrics_waits_from_idx" ON "unfiled_metrics"("waits_from");

-- AddForeignKey
ALTER TABLE "unfiled_metrics" ADD CONSTRAINT "unfiled_metrics_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- In the transaction that ends the run, whichever version of the hub does.
CREATE FUNCTION note_unfiled_metrics() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unfiled_metrics (run_id, waits_from) VALUES (NEW.id, NEW.finished_at) ON CONFLICT (run_id) DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER runs_metrics_unfiled AFTER UPDATE ON runs FOR EACH ROW
  WHEN (((old.finished_at IS NULL) AND (new.finished_at IS NOT NULL) AND (new.metrics_seq > 0)))
  EXECUTE FUNCTION note_unfiled_metrics();

-- Those that a version without archives has ended since archives came.
INSERT INTO unfiled_metrics (run_id, waits_from)
  SELECT r.id, r.finished_at FROM runs r WHERE r.finished_at IS NOT NULL AND r.metrics_seq >= 200
    AND NOT EXISTS (SELECT FROM metric_archives a WHERE a.run_id = r.id);
