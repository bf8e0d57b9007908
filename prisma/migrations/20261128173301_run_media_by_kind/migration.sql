-- CreateIndex
CREATE INDEX "run_media_run_id_kind_key_step_index_idx" ON "run_media"("run_id", "kind", "key", "step", "index");
