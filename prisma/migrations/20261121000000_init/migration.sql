-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "AccountKind" AS ENUM ('user', 'org');

-- CreateEnum
CREATE TYPE "OrgRole" AS ENUM ('owner', 'member');

-- CreateEnum
CREATE TYPE "KeyScope" AS ENUM ('read', 'write', 'train');

-- CreateEnum
CREATE TYPE "BlobState" AS ENUM ('live', 'doomed');

-- CreateEnum
CREATE TYPE "UploadState" AS ENUM ('pending', 'completing', 'assembled', 'completed', 'aborted');

-- CreateEnum
CREATE TYPE "RepoKind" AS ENUM ('dataset', 'model', 'robot');

-- CreateEnum
CREATE TYPE "Visibility" AS ENUM ('private', 'public');

-- CreateEnum
CREATE TYPE "ControlClass" AS ENUM ('reflex', 'skill', 'planner');

-- CreateTable
CREATE TABLE "accounts" (
    "id" TEXT NOT NULL,
    "kind" "AccountKind" NOT NULL,
    "handle" TEXT COLLATE "C" NOT NULL,
    "name" TEXT,
    "storage_bytes" BIGINT NOT NULL DEFAULT 0,
    "reserved_bytes" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "identities" (
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identities_pkey" PRIMARY KEY ("issuer","subject")
);

-- CreateTable
CREATE TABLE "memberships" (
    "org_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" "OrgRole" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("org_id","user_id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "created_by" TEXT,
    "name" TEXT NOT NULL,
    "scope" "KeyScope" NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "limited" BOOLEAN NOT NULL DEFAULT false,
    "repo_ids" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "agent" BOOLEAN NOT NULL DEFAULT false,
    "daily_gpu_hour_quota" DECIMAL(12,4),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "issuer" TEXT,
    "token_sha256" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signing_keys" (
    "kid" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "sealed_private" BYTEA NOT NULL,
    "not_before" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("kid")
);

-- CreateTable
CREATE TABLE "audit_log" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "action" TEXT NOT NULL,
    "account_id" TEXT,
    "actor_id" TEXT,
    "credential_id" TEXT,
    "request_id" TEXT,
    "target_id" TEXT NOT NULL,
    "before" JSONB NOT NULL DEFAULT '{}',
    "after" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "credential_id" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_sha256" BYTEA NOT NULL,
    "attempt" TEXT NOT NULL,
    "result" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("credential_id","method","path","key")
);

-- CreateTable
CREATE TABLE "blobs" (
    "id" TEXT NOT NULL,
    "storage_key" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "etag" TEXT,
    "claimed" TEXT NOT NULL,
    "sha256" TEXT,
    "state" "BlobState" NOT NULL DEFAULT 'live',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "verified_at" TIMESTAMPTZ(3),
    "doomed_at" TIMESTAMPTZ(3),

    CONSTRAINT "blobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "files" (
    "id" BIGSERIAL NOT NULL,
    "repo_id" TEXT NOT NULL,
    "path" TEXT COLLATE "C" NOT NULL,
    "from_seq" INTEGER NOT NULL,
    "to_seq" INTEGER,
    "blob_id" TEXT NOT NULL,
    "mime" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "files_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "uploads" (
    "id" TEXT NOT NULL,
    "repo_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "path" TEXT COLLATE "C" NOT NULL,
    "size" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "content_type" TEXT,
    "storage_key" TEXT NOT NULL,
    "store_upload_id" TEXT NOT NULL,
    "part_size" INTEGER NOT NULL,
    "state" "UploadState" NOT NULL DEFAULT 'pending',
    "attempt" TEXT,
    "attempt_at" TIMESTAMPTZ(3),
    "parts" JSONB NOT NULL DEFAULT '[]',
    "etag" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "touched_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "uploads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deleted_repos" (
    "repo_id" TEXT NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deleted_repos_pkey" PRIMARY KEY ("repo_id")
);

-- CreateTable
CREATE TABLE "repos" (
    "id" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "slug" TEXT COLLATE "C" NOT NULL,
    "kind" "RepoKind" NOT NULL,
    "visibility" "Visibility" NOT NULL DEFAULT 'private',
    "description" TEXT,
    "tags" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "seq" INTEGER NOT NULL DEFAULT 0,
    "file_count" INTEGER NOT NULL DEFAULT 0,
    "total_bytes" BIGINT NOT NULL DEFAULT 0,
    "verified_count" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "repos_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_meta" (
    "repo_id" TEXT NOT NULL,
    "policy_type" TEXT NOT NULL,
    "base_model" TEXT,
    "source_run_id" TEXT,
    "control_class" "ControlClass",
    "robot" TEXT,
    "embodiment_fingerprint" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_meta_pkey" PRIMARY KEY ("repo_id")
);

-- CreateTable
CREATE TABLE "dataset_meta" (
    "repo_id" TEXT NOT NULL,
    "episode_count" INTEGER NOT NULL,
    "total_frames" BIGINT NOT NULL,
    "fps" DOUBLE PRECISION,
    "robot_type" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dataset_meta_pkey" PRIMARY KEY ("repo_id")
);

-- CreateTable
CREATE TABLE "robot_cards" (
    "repo_id" TEXT NOT NULL,
    "card" JSONB NOT NULL,
    "interface_fingerprint" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "robot_cards_pkey" PRIMARY KEY ("repo_id")
);

-- CreateTable
CREATE TABLE "repo_references" (
    "repo_id" TEXT NOT NULL,
    "referrer_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,

    CONSTRAINT "repo_references_pkey" PRIMARY KEY ("repo_id","referrer_id","reason")
);

-- CreateIndex
CREATE UNIQUE INDEX "accounts_handle_key" ON "accounts"("handle");

-- CreateIndex
CREATE INDEX "identities_account_id_idx" ON "identities"("account_id");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_token_sha256_key" ON "api_keys"("token_sha256");

-- CreateIndex
CREATE INDEX "api_keys_account_id_id_idx" ON "api_keys"("account_id", "id");

-- CreateIndex
CREATE INDEX "api_keys_created_by_idx" ON "api_keys"("created_by");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_token_sha256_key" ON "sessions"("token_sha256");

-- CreateIndex
CREATE INDEX "sessions_account_id_id_idx" ON "sessions"("account_id", "id");

-- CreateIndex
CREATE INDEX "audit_log_account_id_id_idx" ON "audit_log"("account_id", "id" DESC);

-- CreateIndex
CREATE INDEX "audit_log_target_id_id_idx" ON "audit_log"("target_id", "id" DESC);

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "blobs_storage_key_key" ON "blobs"("storage_key");

-- CreateIndex
CREATE INDEX "files_blob_id_idx" ON "files"("blob_id");

-- CreateIndex
CREATE INDEX "uploads_repo_id_idx" ON "uploads"("repo_id");

-- CreateIndex
CREATE INDEX "repos_owner_id_id_idx" ON "repos"("owner_id", "id" DESC);

-- CreateIndex
CREATE INDEX "repos_owner_id_updated_at_id_idx" ON "repos"("owner_id", "updated_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "repos_owner_id_slug_key" ON "repos"("owner_id", "slug");

-- CreateIndex
CREATE INDEX "robot_cards_interface_fingerprint_idx" ON "robot_cards"("interface_fingerprint");

-- CreateIndex
CREATE INDEX "repo_references_referrer_id_idx" ON "repo_references"("referrer_id");

-- AddForeignKey
ALTER TABLE "identities" ADD CONSTRAINT "identities_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "files" ADD CONSTRAINT "files_blob_id_fkey" FOREIGN KEY ("blob_id") REFERENCES "blobs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "repos" ADD CONSTRAINT "repos_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_meta" ADD CONSTRAINT "model_meta_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dataset_meta" ADD CONSTRAINT "dataset_meta_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "robot_cards" ADD CONSTRAINT "robot_cards_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "repo_references" ADD CONSTRAINT "repo_references_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repos"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand from here on: what Prisma's schema cannot say. A test holds the catalogue to it.

-- Case-insensitive substring search over slug and description.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX repos_slug_trgm ON repos USING gin (lower(slug) gin_trgm_ops);
CREATE INDEX repos_description_trgm ON repos USING gin (lower(description) gin_trgm_ops);
CREATE INDEX repos_tags ON repos USING gin (tags);

-- Ordered streams of the repo listing.
CREATE INDEX repos_public_created ON repos (id DESC) WHERE visibility = 'public';
CREATE INDEX repos_public_updated ON repos (updated_at DESC, id DESC) WHERE visibility = 'public';
CREATE INDEX repos_public_kind_created ON repos (kind, id DESC) WHERE visibility = 'public';
CREATE INDEX repos_public_kind_updated ON repos (kind, updated_at DESC, id DESC) WHERE visibility = 'public';
CREATE INDEX repos_private_created ON repos (owner_id, id DESC) WHERE visibility = 'private';
CREATE INDEX repos_private_updated ON repos (owner_id, updated_at DESC, id DESC) WHERE visibility = 'private';
CREATE INDEX model_meta_robot ON model_meta (lower(robot));
CREATE INDEX dataset_meta_robot_type ON dataset_meta (lower(robot_type));

-- One live row for a path; the tree reads it in order.
CREATE UNIQUE INDEX files_live ON files (repo_id, path) WHERE to_seq IS NULL;
-- What collection looks for.
CREATE INDEX files_closed ON files (closed_at) WHERE closed_at IS NOT NULL;
-- Equal verified bytes are stored once.
CREATE UNIQUE INDEX blobs_verified ON blobs (sha256, size) WHERE sha256 IS NOT NULL AND state = 'live';
CREATE INDEX blobs_doomed ON blobs (doomed_at) WHERE state = 'doomed';
CREATE INDEX blobs_unverified ON blobs (id) WHERE sha256 IS NULL AND state = 'live';
-- The upload that a repeated presign resumes.
CREATE UNIQUE INDEX uploads_resumable ON uploads (account_id, repo_id, path, size, sha256) WHERE state IN ('pending', 'completing', 'assembled');
CREATE INDEX uploads_unfinished ON uploads (touched_at) WHERE state IN ('pending', 'completing', 'assembled');

ALTER TABLE accounts
  ADD CONSTRAINT accounts_handle_form CHECK (handle ~ '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' AND length(handle) <= 64),
  ADD CONSTRAINT accounts_bytes_counted CHECK (storage_bytes >= 0 AND reserved_bytes >= 0);
ALTER TABLE repos
  ADD CONSTRAINT repos_slug_form CHECK (slug ~ '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' AND length(slug) <= 64),
  ADD CONSTRAINT repos_files_counted CHECK (file_count >= 0 AND total_bytes >= 0 AND verified_count BETWEEN 0 AND file_count),
  ADD CONSTRAINT repos_tags_limit CHECK (cardinality(tags) <= 20);
ALTER TABLE files
  ADD CONSTRAINT files_closed_whole CHECK ((to_seq IS NULL) = (closed_at IS NULL)),
  ADD CONSTRAINT files_seq_order CHECK (to_seq > from_seq);
ALTER TABLE blobs
  ADD CONSTRAINT blobs_size_range CHECK (size BETWEEN 0 AND 53687091200),
  ADD CONSTRAINT blobs_digest_form CHECK (sha256 ~ '^[a-f0-9]{64}$' AND claimed ~ '^[a-f0-9]{64}$'),
  ADD CONSTRAINT blobs_doomed_dated CHECK ((state = 'doomed') = (doomed_at IS NOT NULL));
ALTER TABLE uploads
  ADD CONSTRAINT uploads_size_range CHECK (size BETWEEN 0 AND 53687091200),
  ADD CONSTRAINT uploads_digest_form CHECK (sha256 ~ '^[a-f0-9]{64}$');

-- The audit log is append-only.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
