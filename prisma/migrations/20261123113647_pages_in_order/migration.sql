-- DropIndex
DROP INDEX "sessions_account_id_id_idx";

-- CreateIndex
CREATE INDEX "sessions_account_id_id_idx" ON "sessions"("account_id", "id" DESC);

-- A hosted job has a key of its own, so an account may have many more of those than its people made.
CREATE INDEX "api_keys_made" ON "api_keys"("account_id", "id" DESC) WHERE "job_id" IS NULL;
