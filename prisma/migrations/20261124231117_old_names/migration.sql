-- A name that a repo had before it was moved. Empty for an older hub, which moves no repo.
CREATE TABLE "repo_old_names" (
    "owner_id" TEXT NOT NULL,
    "slug" TEXT COLLATE "C" NOT NULL,
    "repo_id" TEXT NOT NULL,
    "moved_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "repo_old_names_pkey" PRIMARY KEY ("owner_id","slug")
);

-- CreateIndex
CREATE INDEX "repo_old_names_repo_id_idx" ON "repo_old_names"("repo_id");

-- AddForeignKey
ALTER TABLE "repo_old_names" ADD CONSTRAINT "repo_old_names_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "repo_old_names" ADD CONSTRAINT "repo_old_names_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;
