-- CreateTable
CREATE TABLE "metric_archives" (
    "run_id" TEXT NOT NULL,
    "still_since" TIMESTAMPTZ(3) NOT NULL,
    "storage_key" TEXT,
    "size_bytes" BIGINT,
    "sha256" TEXT,
    "lines" BIGINT,
    "written_at" TIMESTAMPTZ(3),
    "dropped_at" TIMESTAMPTZ(3),

    CONSTRAINT "metric_archives_pkey" PRIMARY KEY ("run_id"),
    CONSTRAINT "metric_archives_written_whole" CHECK (num_nulls(storage_key, size_bytes, sha256, lines, written_at) IN (0, 5) AND (dropped_at IS NULL OR written_at IS NOT NULL))
);

-- CreateTable
CREATE TABLE "metric_archive_blocks" (
    "run_id" TEXT NOT NULL,
    "first_seq" BIGINT NOT NULL,
    "last_seq" BIGINT NOT NULL,
    "min_step" DOUBLE PRECISION NOT NULL,
    "max_step" DOUBLE PRECISION NOT NULL,
    "start" BIGINT NOT NULL,
    "length" INTEGER NOT NULL,

    CONSTRAINT "metric_archive_blocks_pkey" PRIMARY KEY ("run_id","last_seq"),
    CONSTRAINT "metric_archive_blocks_bounds" CHECK (first_seq <= last_seq AND start >= 0 AND length > 0)
);

-- CreateIndex
CREATE UNIQUE INDEX "metric_archives_storage_key_key" ON "metric_archives"("storage_key");
CREATE INDEX metric_archives_due ON metric_archives (still_since) WHERE written_at IS NULL;
CREATE INDEX metric_archives_to_drop ON metric_archives (written_at) WHERE written_at IS NOT NULL AND dropped_at IS NULL;

-- AddForeignKey
ALTER TABLE "metric_archives" ADD CONSTRAINT "metric_archives_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "metric_archive_blocks" ADD CONSTRAINT "metric_archive_blocks_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "metric_archives"("run_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The runs that have ended before; those that end from now on are entered once their metrics file stands.
INSERT INTO metric_archives (run_id, still_since)
  SELECT id, finished_at FROM runs WHERE finished_at IS NOT NULL AND metrics_seq >= 200;
