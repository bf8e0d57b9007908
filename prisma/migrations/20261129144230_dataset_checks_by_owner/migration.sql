-- Before all else, in the order of those who commit: one that writes meanwhile waits until the commit.
LOCK TABLE repos, dataset_meta IN SHARE ROW EXCLUSIVE MODE;

-- AlterTable
ALTER TABLE "dataset_meta" ADD COLUMN     "check_owner_id" TEXT;
UPDATE dataset_meta m SET check_owner_id = r.owner_id FROM repos r WHERE r.id = m.repo_id AND m.check_due_at IS NOT NULL;

-- The oldest marks of each owner: those of one do not stand before those of others.
DROP INDEX "dataset_meta_check_due";
CREATE INDEX "dataset_meta_check_due" ON "dataset_meta"("check_owner_id", "check_due_at") WHERE check_due_at IS NOT NULL;

-- With each mark, as instances of an older version know nothing of it.
CREATE OR REPLACE FUNCTION dataset_check_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.updated_at > now() - interval '25 hours' THEN
    new.check_due_at := clock_timestamp();
    SELECT r.owner_id INTO new.check_owner_id FROM repos r WHERE r.id = new.repo_id;
  END IF;
  RETURN new;
END $$;

CREATE OR REPLACE FUNCTION dataset_check_due_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dataset_meta SET check_due_at = clock_timestamp(), check_owner_id = new.owner_id
    WHERE repo_id = new.id AND updated_at > now() - interval '25 hours';
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION follow_repo() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE repo_bodies SET owner_id = new.owner_id, is_public = new.visibility = 'public' WHERE repo_id = new.id;
  UPDATE dataset_checks SET owner_id = new.owner_id WHERE repo_id = new.id AND owner_id <> new.owner_id;
  UPDATE rollouts SET model_owner_id = new.owner_id, model_is_public = new.visibility = 'public' WHERE model_repo_id = new.id;
  UPDATE episode_films SET owner_id = new.owner_id WHERE repo_id = new.id AND owner_id <> new.owner_id;
  UPDATE dataset_meta SET check_owner_id = new.owner_id WHERE repo_id = new.id AND check_owner_id <> new.owner_id;
  RETURN NULL;
END $$;
