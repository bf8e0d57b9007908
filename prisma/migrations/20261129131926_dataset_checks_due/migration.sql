-- Before all else, in the order of those who commit: one that writes meanwhile waits until the commit.
LOCK TABLE repos, dataset_meta IN SHARE ROW EXCLUSIVE MODE;

-- DropIndex
DROP INDEX "dataset_meta_updated_at_idx";

-- AlterTable
ALTER TABLE "dataset_meta" ADD COLUMN     "check_due_at" TIMESTAMPTZ(6);

-- What the job of each minute looks at: those that changed since it last did.
CREATE INDEX "dataset_meta_check_due" ON "dataset_meta"("check_due_at") WHERE check_due_at IS NOT NULL;
UPDATE dataset_meta SET check_due_at = updated_at WHERE updated_at > now() - interval '25 hours';

-- By triggers, since instances of an older version, which may run during an update, know nothing of the mark. By the clock and not by the start of the
-- transaction: each mark of a data set is another one.
CREATE FUNCTION dataset_check_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.updated_at > now() - interval '25 hours' THEN
    new.check_due_at := clock_timestamp();
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER dataset_meta_check_due BEFORE INSERT OR UPDATE OF updated_at ON dataset_meta FOR EACH ROW
  EXECUTE FUNCTION dataset_check_due();

-- Later commits of the same push.
CREATE FUNCTION dataset_check_due_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dataset_meta SET check_due_at = clock_timestamp()
    WHERE repo_id = new.id AND updated_at > now() - interval '25 hours';
  RETURN NULL;
END $$;
CREATE TRIGGER repos_dataset_check_due AFTER UPDATE OF seq ON repos FOR EACH ROW
  WHEN (new.kind = 'dataset' AND new.seq <> old.seq) EXECUTE FUNCTION dataset_check_due_again();
