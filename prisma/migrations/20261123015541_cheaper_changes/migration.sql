-- A report that only says that its sender is there renews times and nothing else. It is no change of a list, and noting it made such a report a tenth dearer.
-- PL/pgSQL keeps its plans for the session, where a function in SQL is planned again by each statement that calls it.
CREATE OR REPLACE FUNCTION note_change(kind "ChangeKind", thing_id text, owner_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes AS c (thing_id, kind, owner_id, xid, at)
  VALUES (note_change.thing_id, note_change.kind, note_change.owner_id, pg_current_xact_id()::text::bigint, now())
  ON CONFLICT ON CONSTRAINT changes_pkey DO UPDATE SET xid = excluded.xid, at = excluded.at WHERE c.xid <> excluded.xid;
END $$;

CREATE OR REPLACE FUNCTION note_job_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    old.heartbeat_at := new.heartbeat_at;
    old.updated_at := new.updated_at;
    IF TG_TABLE_NAME = 'runs' THEN
      old.lease_expires_at := new.lease_expires_at;
    END IF;
    -- By their bytes: columns of type json have no other equality.
    IF old *= new THEN
      RETURN NULL;
    END IF;
  END IF;
  -- What `note_change` does, without a call of it.
  INSERT INTO changes AS c (thing_id, kind, owner_id, xid, at)
  VALUES (new.id, TG_ARGV[0]::"ChangeKind", new.owner_id, pg_current_xact_id()::text::bigint, now())
  ON CONFLICT ON CONSTRAINT changes_pkey DO UPDATE SET xid = excluded.xid, at = excluded.at WHERE c.xid <> excluded.xid;
  RETURN NULL;
END $$;
