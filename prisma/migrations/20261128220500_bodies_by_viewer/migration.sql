-- DropIndex
DROP INDEX "joint_maps_to_repo_id_idx";

-- AlterTable
ALTER TABLE "repo_bodies" ADD COLUMN "kind" "RepoKind",
  ADD COLUMN "owner_id" TEXT,
  ADD COLUMN "is_public" BOOLEAN;

-- A repo that changes meanwhile waits: the trigger locks the table against writers until the commit.
CREATE FUNCTION follow_repo() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE repo_bodies SET owner_id = new.owner_id, is_public = new.visibility = 'public' WHERE repo_id = new.id;
  RETURN NULL;
END $$;
CREATE TRIGGER repos_bodies_follow AFTER UPDATE ON repos FOR EACH ROW
  WHEN (((old.owner_id, old.visibility) IS DISTINCT FROM (new.owner_id, new.visibility))) EXECUTE FUNCTION follow_repo();

UPDATE repo_bodies b SET kind = r.kind, owner_id = r.owner_id, is_public = r.visibility = 'public'
  FROM repos r WHERE r.id = b.repo_id;
ALTER TABLE "repo_bodies" ALTER COLUMN "kind" SET NOT NULL,
  ALTER COLUMN "owner_id" SET NOT NULL,
  ALTER COLUMN "is_public" SET NOT NULL;

-- CreateIndex
CREATE INDEX "joint_maps_to_repo_id_from_repo_id_idx" ON "joint_maps"("to_repo_id", "from_repo_id");
CREATE INDEX repo_bodies_public ON repo_bodies (kind, fingerprint, repo_id) WHERE is_public;
CREATE INDEX repo_bodies_private ON repo_bodies (owner_id, kind, fingerprint, repo_id) WHERE NOT is_public;
