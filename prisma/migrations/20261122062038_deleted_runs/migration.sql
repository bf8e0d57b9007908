-- DropForeignKey
ALTER TABLE "run_log_chunks" DROP CONSTRAINT "run_log_chunks_run_id_fkey";

-- DropForeignKey
ALTER TABLE "run_metrics" DROP CONSTRAINT "run_metrics_run_id_fkey";

-- CreateTable
CREATE TABLE "deleted_runs" (
    "run_id" TEXT NOT NULL,
    "created_by" TEXT,
    "filed_by" TEXT NOT NULL,
    "reserved" BOOLEAN NOT NULL,
    "max_hours" DECIMAL(20,10) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "repo_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "cleared_at" TIMESTAMPTZ(3),

    CONSTRAINT "deleted_runs_pkey" PRIMARY KEY ("run_id")
);


-- What a person reserved of GPU hours lately, and what is still to be cleared.
CREATE INDEX deleted_runs_reserved ON deleted_runs (created_by, created_at) WHERE reserved;
CREATE INDEX deleted_runs_left ON deleted_runs (deleted_at) WHERE cleared_at IS NULL;
-- What is looked at again when a run that pinned it is deleted.
CREATE INDEX files_pinned ON files (repo_id) WHERE pinned;
