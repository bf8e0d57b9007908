-- CreateEnum
CREATE TYPE "RunKind" AS ENUM ('cloud', 'external', 'orchestration');

-- CreateEnum
CREATE TYPE "JobStatus" AS ENUM ('queued', 'running', 'succeeded', 'failed', 'canceled');

-- CreateEnum
CREATE TYPE "RunExecutor" AS ENUM ('worker', 'hosted');

-- CreateEnum
CREATE TYPE "LogStream" AS ENUM ('stdout', 'stderr');

-- CreateEnum
CREATE TYPE "RunAttemptEnd" AS ENUM ('swept', 'reported', 'reclaimed');

-- AlterTable
ALTER TABLE "files" ADD COLUMN     "pinned" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "runs" (
    "id" TEXT NOT NULL,
    "kind" "RunKind" NOT NULL,
    "status" "JobStatus" NOT NULL,
    "executor" "RunExecutor",
    "owner_id" TEXT NOT NULL,
    "created_by" TEXT,
    "filed_by" TEXT NOT NULL,
    "template" TEXT NOT NULL,
    "robot" TEXT,
    "recipe" JSON NOT NULL,
    "recipe_hash" TEXT NOT NULL,
    "gpu_type" TEXT,
    "max_hours" DECIMAL(20,10) NOT NULL DEFAULT 4,
    "budget_usd" DECIMAL(14,4),
    "priced" BOOLEAN NOT NULL DEFAULT false,
    "rate_usd_per_hour" DECIMAL(12,4),
    "parent_run_id" TEXT,
    "repo_ids" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "claimed_by" TEXT,
    "claim_credential" TEXT,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "lost_leases" INTEGER NOT NULL DEFAULT 0,
    "claimed_at" TIMESTAMPTZ(3),
    "heartbeat_at" TIMESTAMPTZ(3),
    "lease_expires_at" TIMESTAMPTZ(3),
    "hosted_call_id" TEXT,
    "dispatched_at" TIMESTAMPTZ(3),
    "cancel_requested_at" TIMESTAMPTZ(3),
    "stop_reason" TEXT,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "error" TEXT,
    "cost_usd" DECIMAL(14,4),
    "output_repo_id" TEXT,
    "output_repo_name" TEXT,
    "config_key" TEXT,
    "scorecard_key" TEXT,
    "gates" JSON,
    "gate_passed" INTEGER,
    "gate_total" INTEGER,
    "latest_metrics" JSON,
    "peak_vram_gb" DOUBLE PRECISION,
    "samples_per_s" DOUBLE PRECISION,
    "gpu_tier" TEXT,
    "progress" JSONB,
    "progress_at" TIMESTAMPTZ(3),
    "pace" JSONB,
    "reward_curve" JSONB,
    "log_seq" INTEGER NOT NULL DEFAULT 0,
    "log_lines" BIGINT NOT NULL DEFAULT 0,
    "log_bytes" BIGINT NOT NULL DEFAULT 0,
    "metrics_seq" BIGINT NOT NULL DEFAULT 0,
    "client_log_seq" BIGINT,
    "client_metrics_seq" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run_datasets" (
    "run_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "ref" TEXT NOT NULL,
    "repo_id" TEXT,
    "seq" INTEGER,

    CONSTRAINT "run_datasets_pkey" PRIMARY KEY ("run_id","position")
);

-- CreateTable
CREATE TABLE "run_log_chunks" (
    "run_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "attempt" INTEGER NOT NULL,
    "stream" "LogStream" NOT NULL,
    "storage_key" TEXT,
    "text" TEXT,
    "byte_count" INTEGER NOT NULL,
    "line_count" INTEGER NOT NULL,
    "first_line" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_log_chunks_pkey" PRIMARY KEY ("run_id","seq")
);

-- CreateTable
CREATE TABLE "run_metrics" (
    "run_id" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "step" DOUBLE PRECISION,
    "reward" DOUBLE PRECISION,
    "line" JSON NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "hidden" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "run_metrics_pkey" PRIMARY KEY ("run_id","seq")
);

-- CreateTable
CREATE TABLE "run_attempts" (
    "run_id" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "credential" TEXT NOT NULL,
    "claimed_by" TEXT NOT NULL,
    "claimed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),
    "end" "RunAttemptEnd",

    CONSTRAINT "run_attempts_pkey" PRIMARY KEY ("run_id","attempt")
);

-- CreateTable
CREATE TABLE "run_gate_results" (
    "run_id" TEXT NOT NULL,
    "step" BIGINT NOT NULL,
    "rows" JSON NOT NULL,
    "pass_count" INTEGER NOT NULL,
    "cell_count" INTEGER NOT NULL,
    "alive_count" INTEGER NOT NULL,
    "seed_count" INTEGER NOT NULL,
    "rollout_id" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_gate_results_pkey" PRIMARY KEY ("run_id","step")
);

-- CreateTable
CREATE TABLE "run_measurements" (
    "template" TEXT NOT NULL,
    "tier" TEXT NOT NULL,
    "batch" INTEGER NOT NULL,
    "peak_vram_gb" DOUBLE PRECISION NOT NULL,
    "samples_per_s" DOUBLE PRECISION NOT NULL,
    "n_runs" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_measurements_pkey" PRIMARY KEY ("template","tier","batch")
);

-- CreateTable
CREATE TABLE "ledger" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "job_kind" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "tier" TEXT,
    "seconds" DECIMAL(14,3) NOT NULL,
    "amount_usd" DECIMAL(14,4) NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "runs_owner_id_id_idx" ON "runs"("owner_id", "id" DESC);

-- CreateIndex
CREATE INDEX "runs_owner_id_status_id_idx" ON "runs"("owner_id", "status", "id" DESC);

-- CreateIndex
CREATE INDEX "ledger_account_id_id_idx" ON "ledger"("account_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "ledger_job_id_attempt_kind_key" ON "ledger"("job_id", "attempt", "kind");

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_parent_run_id_fkey" FOREIGN KEY ("parent_run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_datasets" ADD CONSTRAINT "run_datasets_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_log_chunks" ADD CONSTRAINT "run_log_chunks_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_metrics" ADD CONSTRAINT "run_metrics_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_attempts" ADD CONSTRAINT "run_attempts_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_gate_results" ADD CONSTRAINT "run_gate_results_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand from here on: what Prisma's schema cannot say. A test holds the catalogue to it.

-- Work that waits, oldest first for an owner; what is claimed; hosted work that waits. Leases move with each report, so no index holds them: few runs are running at once.
CREATE INDEX runs_waiting ON runs (owner_id, id) WHERE status = 'queued' AND executor = 'worker';
CREATE INDEX runs_running ON runs (id) WHERE status = 'running';
CREATE INDEX runs_to_dispatch ON runs (id) WHERE status = 'queued' AND executor = 'hosted';
-- Ordered streams of the run listing: by owner (above, and in parts), the owners that a person made runs for, what a credential filed, forks.
CREATE INDEX runs_made_for_others ON runs (created_by, owner_id) WHERE created_by <> owner_id;
CREATE INDEX runs_filed ON runs (filed_by, id DESC);
CREATE INDEX runs_forks ON runs (parent_run_id, id DESC) WHERE parent_run_id IS NOT NULL;
CREATE INDEX runs_hosted ON runs (owner_id, id DESC) WHERE executor = 'hosted';
CREATE INDEX runs_kind ON runs (owner_id, kind, id DESC) WHERE kind <> 'cloud';
CREATE INDEX runs_robot ON runs (owner_id, lower(robot), id DESC) WHERE robot IS NOT NULL;
CREATE INDEX runs_gated ON runs (owner_id, id DESC) WHERE gate_total > 0;
-- What a key limited to repos may see.
CREATE INDEX runs_repos ON runs USING gin (repo_ids);
-- The facet counts read this alone.
CREATE INDEX runs_facets ON runs (owner_id) INCLUDE (kind, status, executor, robot, gate_total);
-- The GPU hours that were reserved of late.
CREATE INDEX runs_reserved ON runs (created_by, created_at) WHERE priced AND status <> 'canceled';
-- What pins the files of a repo.
CREATE INDEX run_datasets_pins ON run_datasets (repo_id, seq) WHERE repo_id IS NOT NULL;
-- Collection passes over what it found to be pinned.
DROP INDEX files_closed;
CREATE INDEX files_closed ON files (closed_at) WHERE closed_at IS NOT NULL AND NOT pinned;

ALTER TABLE runs
  ADD CONSTRAINT runs_hash_form CHECK (recipe_hash ~ '^[a-f0-9]{64}$'),
  ADD CONSTRAINT runs_imported_has_no_executor CHECK ((kind = 'external') <= (executor IS NULL AND status NOT IN ('queued', 'running'))),
  ADD CONSTRAINT runs_running_is_claimed CHECK ((status = 'running') <= (claim_credential IS NOT NULL AND attempt > 0 AND lease_expires_at IS NOT NULL)),
  ADD CONSTRAINT runs_queued_is_free CHECK ((status = 'queued') <= (claim_credential IS NULL AND lease_expires_at IS NULL)),
  ADD CONSTRAINT runs_ended_dated CHECK ((status IN ('succeeded', 'failed', 'canceled')) = (finished_at IS NOT NULL)),
  ADD CONSTRAINT runs_counted CHECK (log_seq >= 0 AND log_lines >= 0 AND log_bytes >= 0 AND metrics_seq >= 0 AND lost_leases <= attempt),
  ADD CONSTRAINT runs_gates_counted CHECK (gate_passed BETWEEN 0 AND gate_total);
ALTER TABLE run_datasets
  ADD CONSTRAINT run_datasets_pinned_whole CHECK ((repo_id IS NULL) = (seq IS NULL));
ALTER TABLE run_log_chunks
  ADD CONSTRAINT run_log_chunks_stored_once CHECK ((storage_key IS NULL) <> (text IS NULL)),
  ADD CONSTRAINT run_log_chunks_counted CHECK (seq > 0 AND byte_count >= 0 AND line_count >= 0 AND first_line >= 0);
ALTER TABLE run_attempts
  ADD CONSTRAINT run_attempts_ended_whole CHECK ((ended_at IS NULL) = ("end" IS NULL));
ALTER TABLE run_gate_results
  ADD CONSTRAINT run_gate_results_counted CHECK (pass_count BETWEEN 0 AND cell_count AND alive_count BETWEEN 0 AND seed_count);

-- The ledger is append-only.
CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON ledger FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON ledger FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
