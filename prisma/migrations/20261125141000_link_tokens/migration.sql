-- CreateEnum
CREATE TYPE "LinkKind" AS ENUM ('setup', 'invitation', 'reset');

-- CreateTable
CREATE TABLE "link_tokens" (
    "id" TEXT NOT NULL,
    "kind" "LinkKind" NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "account_id" TEXT,
    "org_id" TEXT,
    "role" "OrgRole",
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "link_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "link_tokens_token_sha256_key" ON "link_tokens"("token_sha256");

-- CreateIndex
CREATE INDEX "link_tokens_account_id_idx" ON "link_tokens"("account_id");

-- CreateIndex
CREATE INDEX "link_tokens_org_id_id_idx" ON "link_tokens"("org_id", "id");

-- CreateIndex
CREATE INDEX "link_tokens_created_by_idx" ON "link_tokens"("created_by");

-- CreateIndex
CREATE INDEX "link_tokens_expires_at_idx" ON "link_tokens"("expires_at");

-- AddForeignKey
ALTER TABLE "link_tokens" ADD CONSTRAINT "link_tokens_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "link_tokens" ADD CONSTRAINT "link_tokens_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "link_tokens" ADD CONSTRAINT "link_tokens_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddConstraint
ALTER TABLE "link_tokens" ADD CONSTRAINT "link_tokens_of_kind" CHECK (
    octet_length(token_sha256) = 32
    AND (kind = 'invitation') = (account_id IS NULL)
    AND (org_id IS NULL) = (role IS NULL)
    AND (kind = 'invitation' OR org_id IS NULL)
);
