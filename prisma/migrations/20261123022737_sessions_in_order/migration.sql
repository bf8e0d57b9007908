-- DropIndex
DROP INDEX "endpoint_sessions_device_id_idx";

-- DropIndex
DROP INDEX "endpoint_sessions_approval_id_idx";

-- CreateIndex
CREATE INDEX "endpoint_sessions_device_id_id_idx" ON "endpoint_sessions"("device_id", "id" DESC);

-- CreateIndex
CREATE INDEX "endpoint_sessions_approval_id_id_idx" ON "endpoint_sessions"("approval_id", "id" DESC);
