-- CreateEnum
CREATE TYPE "ChangeKind" AS ENUM ('run', 'robot_check', 'endpoint', 'endpoint_session', 'spend_hold');

-- CreateTable
CREATE TABLE "changes" (
    "thing_id" TEXT NOT NULL,
    "kind" "ChangeKind" NOT NULL,
    "owner_id" TEXT NOT NULL,
    "xid" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "deleted" BOOLEAN NOT NULL DEFAULT false,
    "created_by" TEXT,
    "filed_by" TEXT,
    "repo_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "changes_pkey" PRIMARY KEY ("thing_id")
);

-- CreateIndex
CREATE INDEX "changes_owner_id_kind_xid_thing_id_idx" ON "changes"("owner_id", "kind", "xid", "thing_id");

ALTER TABLE changes ALTER COLUMN repo_ids SET NOT NULL,
  -- Each change rewrites the row, and its position is in an index: room for the next version on the same page keeps the table small.
  SET (fillfactor = 70);

-- A transaction writes one row for a thing, however often it changes it. Locks are those of the things: their rows come first.
CREATE FUNCTION note_change(kind "ChangeKind", thing_id text, owner_id text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO changes AS c (thing_id, kind, owner_id, xid, at)
  VALUES (note_change.thing_id, note_change.kind, note_change.owner_id, pg_current_xact_id()::text::bigint, now())
  ON CONFLICT ON CONSTRAINT changes_pkey DO UPDATE SET xid = excluded.xid, at = excluded.at WHERE c.xid <> excluded.xid
$$;

CREATE FUNCTION note_job_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change(TG_ARGV[0]::"ChangeKind", new.id, new.owner_id);
  RETURN NULL;
END $$;

CREATE FUNCTION note_deleted_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('run', old.id, old.owner_id);
  UPDATE changes SET deleted = true, created_by = old.created_by, filed_by = old.filed_by, repo_ids = old.repo_ids WHERE thing_id = old.id;
  RETURN NULL;
END $$;

CREATE FUNCTION note_hold_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('spend_hold', new.id, new.account_id);
  RETURN NULL;
END $$;

CREATE FUNCTION note_session_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('endpoint_session', new.id, (SELECT e.owner_id FROM endpoints e WHERE e.id = new.endpoint_id));
  RETURN NULL;
END $$;

-- Loading a backup is no change: it says so with `hub.loading`.
CREATE TRIGGER runs_changed AFTER INSERT OR UPDATE ON runs FOR EACH ROW
  WHEN (current_setting('hub.loading', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION note_job_change('run');
CREATE TRIGGER runs_deleted AFTER DELETE ON runs FOR EACH ROW EXECUTE FUNCTION note_deleted_run();
CREATE TRIGGER robot_checks_changed AFTER INSERT OR UPDATE ON robot_checks FOR EACH ROW
  WHEN (current_setting('hub.loading', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION note_job_change('robot_check');
CREATE TRIGGER endpoints_changed AFTER INSERT OR UPDATE ON endpoints FOR EACH ROW
  WHEN (current_setting('hub.loading', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION note_job_change('endpoint');
CREATE TRIGGER endpoint_sessions_changed AFTER INSERT OR UPDATE ON endpoint_sessions FOR EACH ROW
  WHEN (current_setting('hub.loading', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION note_session_change();
CREATE TRIGGER spend_holds_changed AFTER INSERT OR UPDATE ON spend_holds FOR EACH ROW
  WHEN (current_setting('hub.loading', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION note_hold_change();
