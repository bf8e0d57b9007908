-- DropIndex
DROP INDEX "repo_references_repo_id_owner_id_referrer_id_idx";

-- CreateIndex
CREATE INDEX "repo_references_repo_id_owner_id_reason_referrer_id_idx" ON "repo_references"("repo_id", "owner_id", "reason", "referrer_id");
