-- CreateIndex
CREATE INDEX "files_repo_id_from_seq_idx" ON "files"("repo_id", "from_seq");
