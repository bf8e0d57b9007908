-- CreateIndex
CREATE INDEX "audit_log_account_id_action_id_idx" ON "audit_log"("account_id", "action", "id" DESC);

-- CreateIndex
CREATE INDEX "audit_log_account_id_actor_id_id_idx" ON "audit_log"("account_id", "actor_id", "id" DESC);
