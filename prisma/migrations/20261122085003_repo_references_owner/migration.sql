-- AlterTable
ALTER TABLE "repo_references" ADD COLUMN     "owner_id" TEXT,
ADD COLUMN     "referrer_kind" TEXT;

-- Runs are all that refers to repos so far; a row of anything else keeps a repo for nobody.
DELETE FROM repo_references f WHERE NOT EXISTS (SELECT 1 FROM runs u WHERE u.id = f.referrer_id);
UPDATE repo_references f SET owner_id = u.owner_id, referrer_kind = 'run' FROM runs u WHERE u.id = f.referrer_id;
ALTER TABLE "repo_references" ALTER COLUMN "owner_id" SET NOT NULL,
ALTER COLUMN "referrer_kind" SET NOT NULL;

-- AddForeignKey
ALTER TABLE "repo_references" ADD CONSTRAINT "repo_references_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
