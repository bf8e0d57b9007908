/** What the bench of the API reads, written straight into the tables. */
import { newId } from '@hub/formats/ids'
import { newKeyToken, tokenDigest } from '../../src/auth/api-key.ts'
import type { Db } from '../../src/store/db.ts'

/** How many connections send at once. */
export const CONNECTIONS = Number(process.env.BENCH_CONCURRENCY ?? 8)

const REPOS = 200
const FILES = 2000
const PAGE_FILES = 20
const RUNS = 60

type Prefix = Parameters<typeof newId>[0]

/** The names of what is seeded, so that two databases may have the same. */
export function newNames() {
  const ids = (prefix: Prefix, count: number) => Array.from({ length: count }, () => newId(prefix))
  return {
    token: newKeyToken(),
    owner: newId('user'),
    keyId: newId('key'),
    repoIds: ids('repo', REPOS),
    runIds: ids('run', RUNS),
    heldRunIds: ids('run', CONNECTIONS),
  }
}

/** One owner with a key, public repos of the three kinds, one of them with files, and runs; written straight into the tables. */
export async function seed(db: Db, names: ReturnType<typeof newNames>): Promise<void> {
  const { token, owner, keyId, repoIds: ids, runIds, heldRunIds } = names
  const sql = (text: string, values: readonly unknown[]) => db.query({ name: '', text }, values)
  await sql(`insert into accounts (id, kind, handle, name) values ($1, 'user', 'bench', 'Bench')`, [owner])
  await sql(
    `insert into api_keys (id, account_id, created_by, name, scope, token_sha256) values ($1, $2, $2, 'bench', 'train', $3)`,
    [keyId, owner, tokenDigest(token)],
  )
  await sql(
    `insert into repos (id, owner_id, slug, kind, visibility, description, tags, file_count, total_bytes)
      select id, $2, 'repo-' || (place - 1), (array['robot', 'model', 'dataset'])[1 + (place - 1) % 3]::"RepoKind", 'public',
        'A repo of the benchmark, number ' || place, array['bench', 'arm'], 3, 4096
      from unnest($1::text[]) with ordinality as given(id, place)`,
    [ids, owner],
  )
  await sql(
    `insert into blobs (id, storage_key, size, etag, claimed, sha256, verified_at)
      select 'blob_' || n, 'blobs/' || n, n, md5(n::text) || '-1', encode(sha256(n::text::bytea), 'hex'), encode(sha256(n::text::bytea), 'hex'), now()
      from generate_series(1, $1::int) n`,
    [FILES],
  )
  await sql(
    `insert into files (repo_id, path, from_seq, blob_id, mime)
      select $1, 'data/chunk-' || lpad((n / 100)::text, 4, '0') || '/episode_' || lpad(n::text, 6, '0') || '.parquet', 1, 'blob_' || n, 'application/vnd.apache.parquet'
      from generate_series(1, $2::int) n`,
    [ids[0], FILES],
  )
  await sql(
    `insert into files (repo_id, path, from_seq, blob_id, mime)
      select id, 'meta/file_' || n, 1, 'blob_' || n, 'application/json' from unnest($1::text[]) as given(id), generate_series(1, $2::int) n`,
    [ids.slice(1), PAGE_FILES],
  )
  await sql(
    `insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, robot, recipe, recipe_hash, max_hours, priced, repo_ids, started_at, finished_at, latest_metrics)
      select id, 'cloud', 'succeeded', 'worker', $2, $2, 'key_bench', 'act', 'bench/repo-0', $3::json, encode(sha256('bench'), 'hex'), 4, false, array[]::text[],
        now(), now(), '{"step": 100, "reward": 0.5, "loss/policy": 0.01}'
      from unnest($1::text[]) as given(id)`,
    [
      runIds,
      owner,
      JSON.stringify({ template: 'act', robot: 'bench/repo-0', hyperparams: { lr: 0.001, run_name: 'bench' } }),
    ],
  )
  await sql(
    `insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, recipe, recipe_hash, max_hours,
        priced, started_at, claimed_by, claim_credential, claimed_at, attempt, lease_expires_at)
      select id, 'cloud', 'running', 'worker', $2, $2, $3, 'act', '{"template":"act"}', encode(sha256('held'), 'hex'), 48,
        false, now(), 'bench', $3, now(), 1, now() + interval '1 day' from unnest($1::text[]) as given(id)`,
    [heldRunIds, owner, keyId],
  )
  // A file outlives its repo until a job deletes it, so the database knows no such relation; PostGraphile needs one.
  await sql(`comment on table files is E'@foreignKey (repo_id) references repos (id)'`, [])
  await sql('analyze', [])
}
