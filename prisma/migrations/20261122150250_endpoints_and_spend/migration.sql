-- CreateEnum
CREATE TYPE "ApprovalStatus" AS ENUM ('issued', 'running', 'expired', 'revoked');

-- CreateEnum
CREATE TYPE "EndpointStatus" AS ENUM ('queued', 'running', 'stopped', 'failed');

-- CreateEnum
CREATE TYPE "EndpointArtifactKind" AS ENUM ('onnx', 'checkpoint');

-- CreateEnum
CREATE TYPE "EndpointSessionStatus" AS ENUM ('open', 'closed');

-- CreateEnum
CREATE TYPE "HostedCallState" AS ENUM ('pending', 'spawned', 'ended');

-- CreateEnum
CREATE TYPE "SpendCapMode" AS ENUM ('NOTIFY', 'STOP');

-- CreateEnum
CREATE TYPE "SpendHoldStatus" AS ENUM ('pending', 'approved', 'denied', 'canceled', 'expired');

-- CreateEnum
CREATE TYPE "SpendHoldKind" AS ENUM ('run', 'robot_check', 'endpoint');

-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "spend_cap_mode" "SpendCapMode",
ADD COLUMN     "spend_cap_usd" DECIMAL(14,4);

-- AlterTable
ALTER TABLE "signing_keys" ADD COLUMN     "withdrawn_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "devices" (
    "id" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "robot_repo_id" TEXT,
    "robot_repo_name" TEXT,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "devices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "approvals" (
    "id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "model_sha256" TEXT NOT NULL,
    "status" "ApprovalStatus" NOT NULL,
    "minted_by" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_by" TEXT,
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "approvals_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "endpoints" (
    "id" TEXT NOT NULL,
    "status" "EndpointStatus" NOT NULL,
    "executor" "RunExecutor" NOT NULL,
    "owner_id" TEXT NOT NULL,
    "created_by" TEXT,
    "filed_by" TEXT NOT NULL,
    "name" TEXT,
    "model_repo_id" TEXT NOT NULL,
    "model_repo_name" TEXT NOT NULL,
    "repo_ids" TEXT[],
    "artifact_kind" "EndpointArtifactKind" NOT NULL,
    "artifact_path" TEXT NOT NULL,
    "model_sha256" TEXT NOT NULL,
    "policy_format" TEXT,
    "artifact_files" INTEGER NOT NULL,
    "artifact_bytes" BIGINT NOT NULL,
    "repo_seq" INTEGER NOT NULL,
    "contract_fingerprint" TEXT,
    "control_class" "ControlClass" NOT NULL,
    "tier" TEXT NOT NULL,
    "params" BIGINT NOT NULL,
    "vram_bytes" BIGINT NOT NULL,
    "priced" BOOLEAN NOT NULL DEFAULT false,
    "rate_usd_per_hour" DECIMAL(12,4),
    "max_hours" DECIMAL(20,10),
    "budget_usd" DECIMAL(14,4),
    "url" TEXT,
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
    "cost_usd" DECIMAL(14,4),
    "sessions_open" INTEGER NOT NULL DEFAULT 0,
    "sessions_total" INTEGER NOT NULL DEFAULT 0,
    "chunks_served" BIGINT NOT NULL DEFAULT 0,
    "gpu_seconds" DECIMAL(14,3) NOT NULL DEFAULT 0,
    "service_ms_p95" DOUBLE PRECISION,
    "rtt_ms_p95" DOUBLE PRECISION,
    "last_log_chunk" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "endpoint_sessions" (
    "id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "device_id" TEXT,
    "approval_id" TEXT,
    "status" "EndpointSessionStatus" NOT NULL,
    "opened_by" TEXT NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "closed_at" TIMESTAMPTZ(3),
    "closed_reason" TEXT,
    "last_report_at" TIMESTAMPTZ(3),
    "chunks_served" BIGINT NOT NULL DEFAULT 0,
    "gpu_seconds" DECIMAL(14,3) NOT NULL DEFAULT 0,
    "service_ms_p50" DOUBLE PRECISION,
    "service_ms_p95" DOUBLE PRECISION,
    "chunks_applied" BIGINT,
    "rtt_ms_p50" DOUBLE PRECISION,
    "rtt_ms_p95" DOUBLE PRECISION,
    "deadline_misses" BIGINT,
    "degraded_count" BIGINT,
    "priced" BOOLEAN NOT NULL DEFAULT false,
    "cost_usd" DECIMAL(14,4),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "endpoint_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "hosted_calls" (
    "id" TEXT NOT NULL,
    "job_kind" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "backend" TEXT NOT NULL,
    "function_name" TEXT NOT NULL,
    "tier" TEXT,
    "sealed_token" BYTEA,
    "state" "HostedCallState" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "spawned_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "hosted_calls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "spend_holds" (
    "id" TEXT NOT NULL,
    "status" "SpendHoldStatus" NOT NULL,
    "kind" "SpendHoldKind" NOT NULL,
    "account_id" TEXT NOT NULL,
    "filed_by" TEXT NOT NULL,
    "filed_by_name" TEXT NOT NULL,
    "created_by" TEXT,
    "request" JSON NOT NULL,
    "summary" TEXT NOT NULL,
    "estimate_usd" DECIMAL(14,4) NOT NULL,
    "reserve_usd" DECIMAL(14,4) NOT NULL,
    "allowance_usd" DECIMAL(14,4) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_at" TIMESTAMPTZ(3),
    "decided_by" TEXT,
    "reason" TEXT,
    "result_id" TEXT,

    CONSTRAINT "spend_holds_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "spend_reservations" (
    "job_id" TEXT NOT NULL,
    "job_kind" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "amount_usd" DECIMAL(14,4) NOT NULL,
    "allowance" BOOLEAN NOT NULL,
    "covers_to" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "spend_reservations_pkey" PRIMARY KEY ("job_id")
);

-- CreateIndex
CREATE INDEX "devices_owner_id_id_idx" ON "devices"("owner_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "devices_owner_id_name_key" ON "devices"("owner_id", "name");

-- CreateIndex
CREATE INDEX "approvals_endpoint_id_id_idx" ON "approvals"("endpoint_id", "id" DESC);

-- CreateIndex
CREATE INDEX "approvals_device_id_id_idx" ON "approvals"("device_id", "id" DESC);

-- CreateIndex
CREATE INDEX "endpoints_owner_id_id_idx" ON "endpoints"("owner_id", "id" DESC);

-- CreateIndex
CREATE INDEX "endpoints_owner_id_status_id_idx" ON "endpoints"("owner_id", "status", "id" DESC);

-- CreateIndex
CREATE INDEX "endpoints_model_repo_id_id_idx" ON "endpoints"("model_repo_id", "id" DESC);

-- CreateIndex
CREATE INDEX "endpoint_sessions_endpoint_id_id_idx" ON "endpoint_sessions"("endpoint_id", "id" DESC);

-- CreateIndex
CREATE INDEX "endpoint_sessions_endpoint_id_status_id_idx" ON "endpoint_sessions"("endpoint_id", "status", "id" DESC);

-- CreateIndex
CREATE INDEX "endpoint_sessions_device_id_idx" ON "endpoint_sessions"("device_id");

-- CreateIndex
CREATE INDEX "endpoint_sessions_approval_id_idx" ON "endpoint_sessions"("approval_id");

-- CreateIndex
CREATE INDEX "hosted_calls_job_id_idx" ON "hosted_calls"("job_id");

-- CreateIndex
CREATE INDEX "spend_holds_account_id_id_idx" ON "spend_holds"("account_id", "id" DESC);

-- CreateIndex
CREATE INDEX "spend_holds_account_id_status_id_idx" ON "spend_holds"("account_id", "status", "id" DESC);

-- CreateIndex
CREATE INDEX "spend_holds_filed_by_id_idx" ON "spend_holds"("filed_by", "id" DESC);

-- CreateIndex
CREATE INDEX "spend_reservations_account_id_idx" ON "spend_reservations"("account_id");

-- AddForeignKey
ALTER TABLE "devices" ADD CONSTRAINT "devices_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "devices" ADD CONSTRAINT "devices_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoints"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_minted_by_fkey" FOREIGN KEY ("minted_by") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_revoked_by_fkey" FOREIGN KEY ("revoked_by") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint_sessions" ADD CONSTRAINT "endpoint_sessions_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoints"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint_sessions" ADD CONSTRAINT "endpoint_sessions_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint_sessions" ADD CONSTRAINT "endpoint_sessions_approval_id_fkey" FOREIGN KEY ("approval_id") REFERENCES "approvals"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "spend_holds" ADD CONSTRAINT "spend_holds_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "spend_holds" ADD CONSTRAINT "spend_holds_decided_by_fkey" FOREIGN KEY ("decided_by") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "spend_reservations" ADD CONSTRAINT "spend_reservations_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Jobs under way keep their reservations; hosted runs, which had none, get theirs.
INSERT INTO spend_reservations (job_id, job_kind, account_id, amount_usd, allowance, created_at)
  SELECT job_id, 'robot_check', account_id, amount_usd, true, created_at FROM allowance_reservations;
INSERT INTO spend_reservations (job_id, job_kind, account_id, amount_usd, allowance)
  SELECT id, 'robot_check', owner_id, round(rate_usd_per_hour * max_seconds / 3600, 4), false FROM robot_checks
  WHERE priced AND status IN ('queued', 'running') ON CONFLICT DO NOTHING;
INSERT INTO spend_reservations (job_id, job_kind, account_id, amount_usd, allowance)
  SELECT id, 'run', owner_id, least(round(rate_usd_per_hour * max_hours, 4), budget_usd), false FROM runs
  WHERE priced AND status IN ('queued', 'running');
DROP TABLE allowance_reservations;

ALTER TABLE accounts
  ADD CONSTRAINT accounts_spend_cap_whole CHECK ((spend_cap_usd IS NULL) = (spend_cap_mode IS NULL) AND spend_cap_usd >= 0);
ALTER TABLE signing_keys
  ADD CONSTRAINT signing_keys_withdrawn_retired CHECK (withdrawn_at IS NULL OR retired_at IS NOT NULL);
ALTER TABLE endpoints
  ADD CONSTRAINT endpoints_running_is_claimed CHECK ((status = 'running') <= (claim_credential IS NOT NULL AND attempt > 0 AND url IS NOT NULL)),
  ADD CONSTRAINT endpoints_queued_is_free CHECK ((status = 'queued') <= (claim_credential IS NULL AND url IS NULL)),
  ADD CONSTRAINT endpoints_ended_dated CHECK ((status IN ('stopped', 'failed')) = (finished_at IS NOT NULL)),
  ADD CONSTRAINT endpoints_pinned CHECK (model_sha256 ~ '^[a-f0-9]{64}$' AND contract_fingerprint ~ '^[a-f0-9]{64}$'),
  ADD CONSTRAINT endpoints_served_remotely CHECK (control_class <> 'reflex'),
  ADD CONSTRAINT endpoints_priced_whole CHECK (priced = (executor = 'hosted') AND priced = (rate_usd_per_hour IS NOT NULL)),
  ADD CONSTRAINT endpoints_limits CHECK (params > 0 AND max_hours > 0 AND max_hours <= 720 AND budget_usd > 0),
  ADD CONSTRAINT endpoints_counted CHECK (sessions_open BETWEEN 0 AND sessions_total AND chunks_served >= 0 AND gpu_seconds >= 0 AND cost_usd >= 0);
ALTER TABLE endpoint_sessions
  ADD CONSTRAINT endpoint_sessions_closed_dated CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
  ADD CONSTRAINT endpoint_sessions_counted CHECK (chunks_served >= 0 AND gpu_seconds >= 0 AND cost_usd >= 0);
ALTER TABLE approvals
  ADD CONSTRAINT approvals_revoked_whole CHECK ((status = 'revoked') = (revoked_at IS NOT NULL)),
  ADD CONSTRAINT approvals_digest_form CHECK (model_sha256 ~ '^[a-f0-9]{64}$');
ALTER TABLE spend_holds
  ADD CONSTRAINT spend_holds_decided_dated CHECK ((status = 'pending') = (decided_at IS NULL)),
  ADD CONSTRAINT spend_holds_result_of_approval CHECK ((status = 'approved') = (result_id IS NOT NULL)),
  ADD CONSTRAINT spend_holds_amounts CHECK (estimate_usd >= 0 AND reserve_usd >= 0 AND allowance_usd >= 0);
ALTER TABLE spend_reservations
  ADD CONSTRAINT spend_reservations_counted CHECK (amount_usd >= 0);
ALTER TABLE hosted_calls
  ADD CONSTRAINT hosted_calls_states CHECK ((state = 'pending') = (sealed_token IS NOT NULL) AND (state = 'ended') = (ended_at IS NOT NULL));

-- What the claim looks through, in the order of ids.
CREATE INDEX endpoints_waiting ON endpoints (owner_id, id) WHERE status = 'queued' AND executor = 'worker';
-- What the sweeps look through: limits of running endpoints, hosted ones without a call, sessions past their expiry or approval.
CREATE INDEX endpoints_running ON endpoints (id) WHERE status = 'running';
CREATE INDEX endpoints_to_dispatch ON endpoints (id) WHERE status = 'queued' AND executor = 'hosted';
CREATE INDEX endpoint_sessions_open ON endpoint_sessions (endpoint_id) WHERE status = 'open';
CREATE INDEX approvals_live ON approvals (expires_at) WHERE status IN ('issued', 'running');
CREATE INDEX spend_holds_pending ON spend_holds (expires_at) WHERE status = 'pending';
CREATE INDEX spend_reservations_renewed ON spend_reservations (covers_to) WHERE covers_to IS NOT NULL;
CREATE INDEX hosted_calls_live ON hosted_calls (backend, id) WHERE state <> 'ended';
