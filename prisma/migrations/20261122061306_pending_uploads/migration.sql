-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "pending_uploads" INTEGER NOT NULL DEFAULT 0;

UPDATE accounts a SET pending_uploads = u.pending
FROM (SELECT owner_id, count(*) AS pending FROM uploads WHERE state IN ('pending', 'completing', 'assembled') GROUP BY owner_id) u
WHERE a.id = u.owner_id;
ALTER TABLE accounts
  ADD CONSTRAINT accounts_uploads_counted CHECK (pending_uploads >= 0);
