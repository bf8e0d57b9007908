-- Facets are kept: each write of a run or repo inserts what it changes, and a job folds that into the counts. A reader adds both. Nobody waits for a count.

-- CreateTable
CREATE TABLE "run_facets" (
    "owner_id" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "facet" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "robot_repo_id" TEXT NOT NULL,
    "n" BIGINT NOT NULL,

    CONSTRAINT "run_facets_pkey" PRIMARY KEY ("owner_id","created_by","facet","value","robot_repo_id")
);

-- CreateTable
CREATE TABLE "run_facet_changes" (
    "id" BIGSERIAL NOT NULL,
    "owner_id" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "kind" "RunKind" NOT NULL,
    "executor" "RunExecutor",
    "status" "JobStatus" NOT NULL,
    "robot" TEXT,
    "robot_repo_id" TEXT NOT NULL,
    "gated" BOOLEAN NOT NULL,
    "n" INTEGER NOT NULL,

    CONSTRAINT "run_facet_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "repo_facets" (
    "owner_id" TEXT NOT NULL,
    "visibility" "Visibility" NOT NULL,
    "kind" TEXT NOT NULL,
    "facet" TEXT NOT NULL,
    "value" TEXT COLLATE "C" NOT NULL,
    "n" BIGINT NOT NULL,

    CONSTRAINT "repo_facets_pkey" PRIMARY KEY ("owner_id","visibility","kind","facet","value")
);

-- CreateTable
CREATE TABLE "repo_facet_changes" (
    "id" BIGSERIAL NOT NULL,
    "owner_id" TEXT NOT NULL,
    "visibility" "Visibility" NOT NULL,
    "kind" "RepoKind" NOT NULL,
    "tags" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "licenses" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "n" INTEGER NOT NULL,

    CONSTRAINT "repo_facet_changes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "run_facet_changes_owner_id_idx" ON "run_facet_changes"("owner_id");

-- CreateIndex
CREATE INDEX "repo_facets_most" ON "repo_facets"("owner_id", "visibility", "kind", "facet", "n" DESC, "value");

-- CreateIndex
CREATE INDEX "repo_facet_changes_owner_id_idx" ON "repo_facet_changes"("owner_id");

-- Counts that the fold brought to nothing, which it deletes.
CREATE INDEX run_facets_doomed ON run_facets (owner_id) WHERE (n = 0);
CREATE INDEX repo_facets_doomed ON repo_facets (owner_id) WHERE (n = 0);

-- Rows live for a minute here: without it their dead ones stay until a fifth of the table is dead.
ALTER TABLE run_facet_changes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
ALTER TABLE repo_facet_changes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- A repo counts once for each of its words.
CREATE FUNCTION facet_tags(tags text[], card_tags text[]) RETURNS text[] LANGUAGE sql IMMUTABLE
  RETURN array(SELECT DISTINCT word FROM unnest(tags || card_tags) word ORDER BY word);
CREATE FUNCTION facet_licenses(labels text[]) RETURNS text[] LANGUAGE sql IMMUTABLE
  RETURN array(SELECT DISTINCT substr(label, 9) FROM unnest(labels) label WHERE label LIKE 'license:%' ORDER BY 1);

-- For a statement that makes or deletes rows (`changed_rows`): equal ones are one change. The argument is 1 or -1.
CREATE FUNCTION note_run_facets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO run_facet_changes (owner_id, created_by, kind, executor, status, robot, robot_repo_id, gated, n)
  SELECT r.owner_id, coalesce(r.created_by, ''), r.kind, r.executor, r.status, r.robot, coalesce(r.robot_repo_id, ''),
    coalesce(r.gate_total, 0) > 0, count(*) * TG_ARGV[0]::integer
  FROM changed_rows r GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
  RETURN NULL;
END $$;

CREATE FUNCTION note_repo_facets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO repo_facet_changes (owner_id, visibility, kind, tags, licenses, n)
  SELECT r.owner_id, r.visibility, r.kind, facet_tags(r.tags, r.card_tags), facet_licenses(r.card_labels),
    count(*) * TG_ARGV[0]::integer
  FROM changed_rows r GROUP BY 1, 2, 3, 4, 5;
  RETURN NULL;
END $$;

-- For each row that changes: most updates change nothing that is counted, and their condition alone is judged.
CREATE FUNCTION note_changed_run_facets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO run_facet_changes (owner_id, created_by, kind, executor, status, robot, robot_repo_id, gated, n)
  VALUES (old.owner_id, coalesce(old.created_by, ''), old.kind, old.executor, old.status, old.robot,
      coalesce(old.robot_repo_id, ''), coalesce(old.gate_total, 0) > 0, -1),
    (new.owner_id, coalesce(new.created_by, ''), new.kind, new.executor, new.status, new.robot,
      coalesce(new.robot_repo_id, ''), coalesce(new.gate_total, 0) > 0, 1);
  RETURN NULL;
END $$;

CREATE FUNCTION note_changed_repo_facets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO repo_facet_changes (owner_id, visibility, kind, tags, licenses, n)
  VALUES (old.owner_id, old.visibility, old.kind, facet_tags(old.tags, old.card_tags),
      facet_licenses(old.card_labels), -1),
    (new.owner_id, new.visibility, new.kind, facet_tags(new.tags, new.card_tags),
      facet_licenses(new.card_labels), 1);
  RETURN NULL;
END $$;

-- The triggers lock their tables against writers until the commit, so that what is counted below is all that there is. A restore loads the counts too.
CREATE TRIGGER repos_facets_made AFTER INSERT ON repos REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT
  WHEN ((current_setting('hub.loading'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_repo_facets('1');
CREATE TRIGGER repos_facets_changed AFTER UPDATE ON repos FOR EACH ROW
  WHEN (((old.owner_id, old.visibility, old.kind, old.tags, old.card_tags, old.card_labels) IS DISTINCT FROM
    (new.owner_id, new.visibility, new.kind, new.tags, new.card_tags, new.card_labels)))
  EXECUTE FUNCTION note_changed_repo_facets();
CREATE TRIGGER repos_facets_gone AFTER DELETE ON repos REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT
  EXECUTE FUNCTION note_repo_facets('-1');

CREATE TRIGGER runs_facets_made AFTER INSERT ON runs REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT
  WHEN ((current_setting('hub.loading'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_run_facets('1');
CREATE TRIGGER runs_facets_changed AFTER UPDATE ON runs FOR EACH ROW
  WHEN (((old.owner_id, old.created_by, old.kind, old.executor, old.status, old.robot, old.robot_repo_id,
      coalesce(old.gate_total, 0) > 0) IS DISTINCT FROM
    (new.owner_id, new.created_by, new.kind, new.executor, new.status, new.robot, new.robot_repo_id,
      coalesce(new.gate_total, 0) > 0)))
  EXECUTE FUNCTION note_changed_run_facets();
CREATE TRIGGER runs_facets_gone AFTER DELETE ON runs REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT
  EXECUTE FUNCTION note_run_facets('-1');

INSERT INTO repo_facets (owner_id, visibility, kind, facet, value, n)
SELECT s.owner_id, r.visibility, k.kind, w.facet, w.value, count(*)
FROM repos r
CROSS JOIN LATERAL (VALUES (r.owner_id), ('')) s(owner_id)
CROSS JOIN LATERAL (VALUES (r.kind::text), ('')) k(kind)
CROSS JOIN LATERAL (
  SELECT 'total', ''
  UNION ALL SELECT 'tag', t FROM unnest(facet_tags(r.tags, r.card_tags)) t
  UNION ALL SELECT 'license', l FROM unnest(facet_licenses(r.card_labels)) l) w(facet, value)
WHERE s.owner_id <> '' OR r.visibility = 'public'
GROUP BY 1, 2, 3, 4, 5;

INSERT INTO run_facets (owner_id, created_by, facet, value, robot_repo_id, n)
SELECT r.owner_id, coalesce(r.created_by, ''), w.facet, w.value, w.robot_repo_id, count(*)
FROM runs r
CROSS JOIN LATERAL (VALUES ('total', '', ''), ('kind', r.kind::text, ''), ('executor', r.executor::text, ''),
  ('status', r.status::text, ''), ('robot', r.robot, coalesce(r.robot_repo_id, '')),
  ('gated', (coalesce(r.gate_total, 0) > 0)::text, '')) w(facet, value, robot_repo_id)
WHERE w.value IS NOT NULL
GROUP BY 1, 2, 3, 4, 5;

-- Nothing counts runs from it any more, and a change of a run's status or gates wrote to it.
DROP INDEX runs_facets;
