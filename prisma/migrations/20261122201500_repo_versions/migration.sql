-- CreateEnum
CREATE TYPE "RepoChangeAction" AS ENUM ('complete', 'delete', 'reject', 'restore', 'purge');

-- CreateEnum
CREATE TYPE "WithdrawalReason" AS ENUM ('purged', 'rejected');

-- AlterTable
ALTER TABLE "repos" ADD COLUMN     "snapshot_bytes" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "snapshot_count" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "repo_changes" (
    "repo_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "replaced_at" TIMESTAMPTZ(3),
    "action" "RepoChangeAction" NOT NULL,
    "actor_id" TEXT,
    "credential_id" TEXT,
    "files_added" INTEGER NOT NULL DEFAULT 0,
    "files_removed" INTEGER NOT NULL DEFAULT 0,
    "files_changed" INTEGER NOT NULL DEFAULT 0,
    "bytes_added" BIGINT NOT NULL DEFAULT 0,
    "bytes_removed" BIGINT NOT NULL DEFAULT 0,
    "file_count" INTEGER NOT NULL,
    "total_bytes" BIGINT NOT NULL,
    "withdrawn_count" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "repo_changes_pkey" PRIMARY KEY ("repo_id","seq")
);

-- CreateTable
CREATE TABLE "repo_snapshots" (
    "id" TEXT NOT NULL,
    "repo_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "note" TEXT,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "repo_snapshots_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "withdrawn_files" (
    "id" BIGSERIAL NOT NULL,
    "repo_id" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "from_seq" INTEGER NOT NULL,
    "to_seq" INTEGER NOT NULL,
    "size" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "reason" "WithdrawalReason" NOT NULL,
    "withdrawn_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "withdrawn_files_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "repo_changes_repo_id_at_seq_idx" ON "repo_changes"("repo_id", "at", "seq");

-- CreateIndex
CREATE INDEX "repo_snapshots_repo_id_id_idx" ON "repo_snapshots"("repo_id", "id" DESC);

-- CreateIndex
CREATE INDEX "repo_snapshots_repo_id_seq_idx" ON "repo_snapshots"("repo_id", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "repo_snapshots_repo_id_name_key" ON "repo_snapshots"("repo_id", "name");

-- CreateIndex
CREATE INDEX "withdrawn_files_repo_id_path_from_seq_idx" ON "withdrawn_files"("repo_id", "path", "from_seq");

-- CreateIndex
CREATE INDEX "files_repo_id_path_from_seq_to_seq_idx" ON "files"("repo_id", "path", "from_seq", "to_seq");

-- AddForeignKey
ALTER TABLE "repo_changes" ADD CONSTRAINT "repo_changes_actor_id_fkey" FOREIGN KEY ("actor_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "repo_snapshots" ADD CONSTRAINT "repo_snapshots_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "repo_snapshots" ADD CONSTRAINT "repo_snapshots_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE repos ADD CONSTRAINT repos_snapshots_counted CHECK (snapshot_count >= 0 AND snapshot_bytes >= 0);
ALTER TABLE repo_changes
  ADD CONSTRAINT repo_changes_counted CHECK (seq > 0 AND files_added >= 0 AND files_removed >= 0 AND files_changed >= 0
    AND bytes_added >= 0 AND bytes_removed >= 0 AND file_count >= 0 AND total_bytes >= 0 AND withdrawn_count >= 0);
-- No name is a number, a time or the id of a run.
ALTER TABLE repo_snapshots
  ADD CONSTRAINT repo_snapshots_name_form CHECK (name ~ '^[A-Za-z][A-Za-z0-9._-]{0,63}$' AND lower(left(name, 4)) <> 'run_'),
  ADD CONSTRAINT repo_snapshots_seq_counted CHECK (seq >= 0);
ALTER TABLE withdrawn_files ADD CONSTRAINT withdrawn_files_seq_order CHECK (to_seq > from_seq);

-- The changes whose states are whole. Rows were pruned in the order in which they were closed, so every state from the oldest closed row on has all of
-- its files; without such a row only the current state is known to be whole.
WITH whole AS (
  SELECT r.id, r.seq, r.file_count, r.total_bytes, r.updated_at,
    coalesce((SELECT min(f.to_seq) FROM files f WHERE f.repo_id = r.id AND f.to_seq IS NOT NULL AND NOT f.pinned), r.seq) AS first
  FROM repos r WHERE r.seq > 0
), ends AS (
  SELECT f.repo_id, f.path, f.from_seq AS seq, b.size AS opened, NULL::bigint AS closed, f.updated_at AS at, false AS rejected
  FROM files f JOIN blobs b ON b.id = f.blob_id
  UNION ALL
  SELECT f.repo_id, f.path, f.to_seq, NULL, b.size, f.closed_at, b.state = 'doomed'
  FROM files f JOIN blobs b ON b.id = f.blob_id WHERE f.to_seq IS NOT NULL
), paths AS (
  SELECT e.repo_id, e.seq, max(e.opened) AS opened, max(e.closed) AS closed, max(e.at) AS at, bool_or(e.rejected) AS rejected
  FROM ends e JOIN whole w ON w.id = e.repo_id AND e.seq BETWEEN w.first AND w.seq GROUP BY e.repo_id, e.seq, e.path
  UNION ALL
  -- The current state has a change even if nothing of it is left to see.
  SELECT id, seq, NULL, NULL, updated_at, false FROM whole
), changes AS (
  SELECT p.repo_id, p.seq, coalesce(max(p.at) FILTER (WHERE opened IS NOT NULL OR closed IS NOT NULL), max(p.at)) AS at,
    CASE WHEN bool_or(p.opened IS NOT NULL) THEN 'complete' WHEN bool_or(p.rejected) THEN 'reject' ELSE 'delete' END AS action,
    count(*) FILTER (WHERE opened IS NOT NULL AND closed IS NULL) AS added, count(*) FILTER (WHERE opened IS NULL AND closed IS NOT NULL) AS removed,
    count(*) FILTER (WHERE opened IS NOT NULL AND closed IS NOT NULL) AS changed, coalesce(sum(p.opened), 0) AS bytes_added, coalesce(sum(p.closed), 0) AS bytes_removed
  FROM paths p GROUP BY p.repo_id, p.seq
), timed AS (
  -- A transaction that waited may have begun before the one that it waited for.
  SELECT c.*, max(c.at) OVER (PARTITION BY c.repo_id ORDER BY c.seq) AS since,
    coalesce(sum(c.added - c.removed) OVER later, 0) AS later_files, coalesce(sum(c.bytes_added - c.bytes_removed) OVER later, 0) AS later_bytes
  FROM changes c WINDOW later AS (PARTITION BY c.repo_id ORDER BY c.seq DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
), actors AS (
  SELECT DISTINCT ON (target_id, after->>'seq') target_id, after->>'seq' AS seq, actor_id, credential_id
  FROM audit_log WHERE action IN ('files.complete', 'files.delete')
)
INSERT INTO repo_changes (repo_id, seq, at, replaced_at, action, actor_id, credential_id, files_added, files_removed, files_changed, bytes_added, bytes_removed, file_count, total_bytes)
SELECT t.repo_id, t.seq, t.since, lead(t.since) OVER (PARTITION BY t.repo_id ORDER BY t.seq), t.action::"RepoChangeAction", a.actor_id, a.credential_id,
  t.added, t.removed, t.changed, t.bytes_added, t.bytes_removed, greatest(w.file_count - t.later_files, 0), greatest(w.total_bytes - t.later_bytes, 0)
FROM timed t JOIN whole w ON w.id = t.repo_id LEFT JOIN actors a ON a.target_id = t.repo_id AND a.seq = t.seq::text;

-- Older states that a run or a check keeps. What came right after them is not known: no time leads to them.
INSERT INTO repo_changes (repo_id, seq, at, replaced_at, action, file_count, total_bytes)
SELECT k.repo_id, k.seq, s.at, s.at, 'complete', s.files, s.bytes
FROM (
  SELECT repo_id, seq FROM run_datasets WHERE repo_id IS NOT NULL
  UNION SELECT source_repo_id, source_seq FROM robot_checks WHERE source_repo_id IS NOT NULL AND published_at IS NULL AND status IN ('queued', 'running', 'succeeded')
) k JOIN repos r ON r.id = k.repo_id AND k.seq < r.seq
CROSS JOIN LATERAL (
  SELECT count(*) AS files, coalesce(sum(b.size), 0) AS bytes, coalesce(max(f.updated_at), r.created_at) AS at
  FROM files f JOIN blobs b ON b.id = f.blob_id WHERE f.repo_id = k.repo_id AND f.from_seq <= k.seq AND (f.to_seq IS NULL OR f.to_seq > k.seq)
) s
WHERE k.seq > 0 ON CONFLICT DO NOTHING;

-- Bytes that the hub rejected are no file of any state.
INSERT INTO withdrawn_files (repo_id, path, from_seq, to_seq, size, sha256, reason, withdrawn_at)
SELECT f.repo_id, f.path, f.from_seq, f.to_seq, b.size, b.claimed, 'rejected', f.closed_at
FROM files f JOIN blobs b ON b.id = f.blob_id WHERE b.state = 'doomed' AND f.to_seq IS NOT NULL;
DELETE FROM files f USING blobs b WHERE b.id = f.blob_id AND b.state = 'doomed' AND f.to_seq IS NOT NULL;
UPDATE repo_changes c SET file_count = greatest(c.file_count - w.files, 0), total_bytes = greatest(c.total_bytes - w.bytes, 0), withdrawn_count = w.files
FROM (
  SELECT d.repo_id, d.seq, count(*) AS files, sum(f.size) AS bytes FROM repo_changes d JOIN withdrawn_files f
    ON f.repo_id = d.repo_id AND d.seq >= f.from_seq AND d.seq < f.to_seq GROUP BY d.repo_id, d.seq
) w WHERE c.repo_id = w.repo_id AND c.seq = w.seq;
