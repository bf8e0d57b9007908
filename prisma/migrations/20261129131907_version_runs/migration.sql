-- AlterTable
ALTER TABLE "repo_changes" ADD COLUMN     "run_id" TEXT;

-- The changes that a run made, for the last one of each.
CREATE INDEX repo_changes_of_runs ON repo_changes (repo_id, run_id, seq DESC) WHERE run_id IS NOT NULL;
