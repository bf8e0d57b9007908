-- CreateEnum
CREATE TYPE "RobotCheckKind" AS ENUM ('robot', 'model');

-- CreateTable
CREATE TABLE "robot_checks" (
    "id" TEXT NOT NULL,
    "kind" "RobotCheckKind" NOT NULL,
    "status" "JobStatus" NOT NULL,
    "executor" "RunExecutor" NOT NULL,
    "owner_id" TEXT NOT NULL,
    "created_by" TEXT,
    "filed_by" TEXT NOT NULL,
    "quota_account_id" TEXT NOT NULL,
    "robot_repo_id" TEXT,
    "robot_repo_name" TEXT,
    "model_repo_id" TEXT,
    "model_repo_name" TEXT,
    "repo_ids" TEXT[],
    "model" JSON,
    "entry" TEXT,
    "base" TEXT,
    "control_hz" DOUBLE PRECISION,
    "action" TEXT,
    "options" JSON,
    "drop" JSON,
    "source_repo_id" TEXT,
    "source_seq" INTEGER,
    "source_prefix" TEXT NOT NULL DEFAULT '',
    "source_flat" BOOLEAN NOT NULL DEFAULT false,
    "sources_count" INTEGER NOT NULL DEFAULT 0,
    "sources_bytes" BIGINT NOT NULL DEFAULT 0,
    "claimed_by" TEXT,
    "claim_credential" TEXT,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "claimed_at" TIMESTAMPTZ(3),
    "heartbeat_at" TIMESTAMPTZ(3),
    "hosted_call_id" TEXT,
    "hosted_credential" TEXT,
    "dispatched_at" TIMESTAMPTZ(3),
    "cancel_requested_at" TIMESTAMPTZ(3),
    "stop_reason" TEXT,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "error" TEXT,
    "priced" BOOLEAN NOT NULL DEFAULT false,
    "rate_usd_per_hour" DECIMAL(12,4),
    "cost_usd" DECIMAL(14,4),
    "report" JSON,
    "draft" JSON,
    "intake" JSON,
    "engine" JSON,
    "card" JSON,
    "needs_you" JSON,
    "published" JSON,
    "published_at" TIMESTAMPTZ(3),
    "log_seq" INTEGER NOT NULL DEFAULT 0,
    "log_lines" BIGINT NOT NULL DEFAULT 0,
    "log_bytes" BIGINT NOT NULL DEFAULT 0,
    "log_tail" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "robot_checks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "robot_check_artifacts" (
    "check_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "storage_key" TEXT NOT NULL,
    "store_upload_id" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "content_type" TEXT,
    "sha256" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "robot_check_artifacts_pkey" PRIMARY KEY ("check_id","name")
);

-- CreateTable
CREATE TABLE "robot_check_log_chunks" (
    "check_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "attempt" INTEGER NOT NULL,
    "stream" "LogStream" NOT NULL,
    "storage_key" TEXT,
    "text" TEXT,
    "byte_count" INTEGER NOT NULL,
    "line_count" INTEGER NOT NULL,
    "first_line" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "robot_check_log_chunks_pkey" PRIMARY KEY ("check_id","seq")
);

-- CreateIndex
CREATE INDEX "robot_checks_owner_id_id_idx" ON "robot_checks"("owner_id", "id" DESC);

-- CreateIndex
CREATE INDEX "robot_checks_quota_account_id_created_at_idx" ON "robot_checks"("quota_account_id", "created_at");

-- AddForeignKey
ALTER TABLE "robot_checks" ADD CONSTRAINT "robot_checks_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "robot_checks" ADD CONSTRAINT "robot_checks_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "robot_check_artifacts" ADD CONSTRAINT "robot_check_artifacts_check_id_fkey" FOREIGN KEY ("check_id") REFERENCES "robot_checks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The queue, and what waits for the hosted backend.
CREATE INDEX robot_checks_waiting ON robot_checks (owner_id, id) WHERE status = 'queued' AND executor = 'worker';
CREATE INDEX robot_checks_to_dispatch ON robot_checks (id) WHERE status = 'queued' AND executor = 'hosted';
-- What a person made for others' accounts, what a credential filed, what names a repo.
CREATE INDEX robot_checks_made_for_others ON robot_checks (created_by, id DESC) WHERE created_by <> owner_id;
CREATE INDEX robot_checks_filed ON robot_checks (filed_by, id DESC);
CREATE INDEX robot_checks_repos ON robot_checks USING gin (repo_ids);
CREATE INDEX robot_checks_robot ON robot_checks (robot_repo_id, id DESC) WHERE robot_repo_id IS NOT NULL;
-- Snapshots that keep files which their repo has replaced or lost.
CREATE INDEX robot_checks_pins ON robot_checks (source_repo_id, source_seq)
  WHERE source_repo_id IS NOT NULL AND published_at IS NULL AND status IN ('queued', 'running', 'succeeded');
-- What was replaced since a snapshot.
CREATE INDEX files_replaced ON files (repo_id, to_seq) WHERE to_seq IS NOT NULL;

ALTER TABLE robot_checks
  ADD CONSTRAINT robot_checks_held CHECK (status <> 'running' OR claim_credential IS NOT NULL),
  ADD CONSTRAINT robot_checks_ended CHECK ((finished_at IS NOT NULL) = (status IN ('succeeded', 'failed', 'canceled'))),
  ADD CONSTRAINT robot_checks_published CHECK (published_at IS NULL OR status = 'succeeded'),
  ADD CONSTRAINT robot_checks_about CHECK (CASE kind WHEN 'robot' THEN robot_repo_id IS NOT NULL ELSE model_repo_id IS NOT NULL END),
  ADD CONSTRAINT robot_checks_tail CHECK (octet_length(log_tail) <= 65536);
