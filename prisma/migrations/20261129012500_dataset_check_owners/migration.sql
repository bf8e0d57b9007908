-- Before all else, since one that deletes a repo locks it before its check. A repo that moves meanwhile waits until the commit.
LOCK TABLE repos IN SHARE ROW EXCLUSIVE MODE;

-- AlterTable
ALTER TABLE "dataset_checks" ADD COLUMN     "owner_id" TEXT;

CREATE OR REPLACE FUNCTION follow_repo() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE repo_bodies SET owner_id = new.owner_id, is_public = new.visibility = 'public' WHERE repo_id = new.id;
  UPDATE dataset_checks SET owner_id = new.owner_id WHERE repo_id = new.id AND owner_id <> new.owner_id;
  RETURN NULL;
END $$;
UPDATE dataset_checks d SET owner_id = r.owner_id FROM repos r WHERE r.id = d.repo_id;
ALTER TABLE "dataset_checks" ALTER COLUMN "owner_id" SET NOT NULL;
-- An instance of an older version, which may run during an update, does not write the column.
CREATE FUNCTION dataset_check_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT r.owner_id INTO new.owner_id FROM repos r WHERE r.id = new.repo_id;
  RETURN new;
END $$;
CREATE TRIGGER dataset_checks_owner BEFORE INSERT ON dataset_checks FOR EACH ROW WHEN (new.owner_id IS NULL)
  EXECUTE FUNCTION dataset_check_owner();

-- CreateIndex
CREATE INDEX "dataset_checks_owner_id_counted_since_idx" ON "dataset_checks"("owner_id", "counted_since");

-- CreateIndex
CREATE INDEX "dataset_meta_updated_at_idx" ON "dataset_meta"("updated_at");

-- What a worker of an owner may take, the oldest first; and what runs, whose leases are no column of an index.
CREATE INDEX "dataset_checks_claimable" ON "dataset_checks"("owner_id", "requested_at", "repo_id") WHERE status IN ('queued', 'running');
CREATE INDEX "dataset_checks_running" ON "dataset_checks"("repo_id") WHERE status = 'running';
DROP INDEX "dataset_checks_open";
