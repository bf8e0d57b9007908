-- DropIndex
DROP INDEX "endpoints_owner_id_id_idx";

-- DropIndex
DROP INDEX "endpoints_owner_id_status_id_idx";

-- DropIndex
DROP INDEX "endpoints_model_repo_id_id_idx";

-- CreateIndex
CREATE INDEX "endpoints_owner_id_id_idx" ON "endpoints"("owner_id", "id");

-- CreateIndex
CREATE INDEX "endpoints_owner_id_status_id_idx" ON "endpoints"("owner_id", "status", "id");

-- CreateIndex
CREATE INDEX "endpoints_model_repo_id_id_idx" ON "endpoints"("model_repo_id", "id");
