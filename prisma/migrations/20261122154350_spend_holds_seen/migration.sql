-- CreateIndex
CREATE INDEX "spend_holds_created_by_id_idx" ON "spend_holds"("created_by", "id" DESC);
