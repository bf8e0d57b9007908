/**
 * Rows in every table of the baseline. A later migration that fills or changes rows finds them here as they were before it. A table that came later has its row in
 * `*.cases.ts` of its subject (`rows.kept`).
 */
import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import type pg from 'pg'
import { newKeyToken } from '../../src/auth/api-key.ts'
import { signSession } from '../../src/auth/session-token.ts'
import type { SigningKeys } from '../../src/auth/signing-keys.ts'
import { seal } from '../../src/store/seal.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

/** An id that is the same in every run. */
export const fixedId = (prefix: string, number: number) =>
  `${prefix}_01m812yvrpextatj8nx4n2${String(number).padStart(4, '0')}`

const ada = fixedId('user', 1)
const lab = fixedId('org', 2)
const dataset = fixedId('repo', 1)
const model = fixedId('repo', 2)
const robot = fixedId('repo', 3)
const run = fixedId('run', 1)
const fork = fixedId('run', 2)
const imported = fixedId('run', 3)
const check = fixedId('check', 1)
const device = fixedId('dev', 1)
const endpoint = fixedId('ep', 1)
const approval = fixedId('appr', 1)

/** Ids of these rows. */
export const knownRows = {
  ada,
  lab,
  dataset,
  model,
  robot,
  run,
  fork,
  imported,
  check,
  device,
  endpoint,
  approval,
  blob: fixedId('blob', 1),
}
export type KnownRows = typeof knownRows

const card = '{"dof":1,"actuators":[]}'

/** The files of the three repos, and what their blobs hold. */
export const files = [
  { repo: 'lab/walks', repoId: dataset, path: 'data/ep 1.txt', text: 'one episode', blob: fixedId('blob', 1) },
  { repo: 'lab/walks', repoId: dataset, path: 'meta.json', text: '{"fps":30}', blob: fixedId('blob', 2) },
  { repo: 'lab/policy', repoId: model, path: 'policy.onnx', text: 'weights', blob: fixedId('blob', 3) },
  { repo: 'ada/arm', repoId: robot, path: 'arm.xml', text: '<mujoco/>', blob: fixedId('blob', 4) },
] as const

const keyOf = (blob: string) => `blobs/${md5(blob).slice(0, 2)}/${md5(blob).slice(2)}${md5(blob).slice(0, 8)}`
const runKey = (folder: string, name: string) =>
  `runs/${run}/${folder}/00001763800000-${md5(name).slice(0, 20)}.${name.split('.')[1]}`
const logKey = runKey('logs', 'log.log')
const configKey = runKey('config', 'config.yaml')
const scorecardKey = runKey('scorecard', 'scorecard.json')
const checkLogKey = `robot-checks/${check}/logs/00001763800000-${md5('check').slice(0, 20)}.log`
const artifactKey = `robot-checks/${check}/files/00001763800000-${md5('artifact').slice(0, 20)}.bin`

const logText = 'step 1\nstep 2\n'
const logRow = 'step 3\n'
const configText = 'lr: 0.001\n'
const scorecardText = '{"gates":[]}'
const checkLogText = 'compiled\n'

/** Every object that the rows name, by key. */
export const objects: Readonly<Record<string, string>> = {
  ...Object.fromEntries(files.map(({ blob, text }) => [keyOf(blob), text])),
  [logKey]: logText,
  [configKey]: configText,
  [scorecardKey]: scorecardText,
  [`runs/${run}/metrics.jsonl`]: '{"iter":1,"reward":0.5}\n',
  [checkLogKey]: checkLogText,
  [artifactKey]: card,
}

export interface Credentials {
  /** Of the org, level train. */
  readonly key: string
  /** Of ada. */
  readonly session: string
}

/** Fills the tables of the baseline. The tokens are of that time too: a signing key sealed with `secret`, a session that it signed, and an API key. */
export async function fillTables(client: pg.Client, secret: string): Promise<Credentials> {
  const credentials = await fillAccountsAndRepos(client, secret)
  await fillJobs(client)
  return credentials
}

async function fillAccountsAndRepos(client: pg.Client, secret: string): Promise<Credentials> {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  const sealed = seal(secret, 'signing-key', Buffer.from(JSON.stringify(await exportJWK(privateKey))))
  const keys = { current: async () => ({ kid, privateKey }) } as Partial<SigningKeys> as SigningKeys
  const sessionId = fixedId('sess', 1)
  const session = await signSession(keys, { accountId: ada, sessionId }, new Date('2030-01-01T00:00:00Z'))
  const key = newKeyToken()
  await client.query(`insert into accounts (id, kind, handle, name, storage_bytes, reserved_bytes, pending_uploads) values
    ('${ada}', 'user', 'ada', 'Ada \\ Lovelace', 9, 0, 0), ('${lab}', 'org', 'lab', null, 28, 5, 1)`)
  await client.query(
    `insert into identities (issuer, subject, account_id) values ('https://id.example', 'ada-1', '${ada}')`,
  )
  await client.query(`insert into memberships (org_id, user_id, role) values ('${lab}', '${ada}', 'owner')`)
  await client.query(
    `insert into api_keys (id, account_id, created_by, name, scope, token_sha256) values ($1, $2, $3, 'robot'||chr(9)||'key', 'train', $4)`,
    [fixedId('key', 1), lab, ada, Buffer.from(sha256(key), 'hex')],
  )
  await client.query(`insert into sessions (id, account_id, expires_at) values ($1, $2, '2030-01-01T00:00:00Z')`, [
    sessionId,
    ada,
  ])
  await client.query(`insert into signing_keys (kid, public_jwk, sealed_private) values ($1, $2, $3)`, [
    kid,
    JSON.stringify(publicJwk),
    sealed,
  ])
  await client.query(`insert into audit_log (id, action, account_id, actor_id, target_id, after) values
    ('${fixedId('aud', 1)}', 'repo.create', '${lab}', '${ada}', '${dataset}', '{"slug": "walks"}')`)
  await client.query(
    `insert into idempotency_keys (credential_id, method, path, key, body_sha256, attempt, result) values ($1, 'POST', '/v1/repos', 'once', $2, 'a', '{"ok": {"n": 1.5}}')`,
    [fixedId('key', 1), Buffer.from(sha256('body'), 'hex')],
  )
  await client.query(`insert into repos (id, owner_id, slug, kind, visibility, description, tags, seq, file_count, total_bytes, verified_count) values
    ('${dataset}', '${lab}', 'walks', 'dataset', 'public', 'line one' || chr(10) || 'line two', array['walk', 'a,b'], 2, 2, 21, 2),
    ('${model}', '${lab}', 'policy', 'model', 'private', null, '{}', 1, 1, 7, 1),
    ('${robot}', '${ada}', 'arm', 'robot', 'public', null, '{}', 1, 1, 9, 1)`)
  for (const [index, { repoId, path, text, blob }] of files.entries()) {
    await client.query(
      `insert into blobs (id, storage_key, size, etag, claimed, sha256, verified_at) values ($1, $2, $3, $4, $5, $5, now())`,
      [blob, keyOf(blob), text.length, md5(text), sha256(text)],
    )
    await client.query(
      `insert into files (repo_id, path, from_seq, blob_id, mime) values ($1, $2, $3, $4, 'text/plain')`,
      [repoId, path, index === 1 ? 2 : 1, blob],
    )
  }
  await client.query(`insert into uploads (id, repo_id, account_id, owner_id, path, size, sha256, storage_key, store_upload_id, part_size) values
    ('${fixedId('upl', 1)}', '${dataset}', '${lab}', '${lab}', 'late.bin', 5, '${sha256('late!')}', 'blobs/00/late', 'none', 104857600)`)
  await client.query(`insert into deleted_repos (repo_id) values ('${fixedId('repo', 9)}')`)
  await client.query(
    `insert into model_meta (repo_id, policy_type, robot, robot_repo_id, control_class) values ('${model}', 'act', 'ada/arm', '${robot}', 'skill')`,
  )
  await client.query(
    `insert into dataset_meta (repo_id, episode_count, total_frames, fps, robot_type) values ('${dataset}', 1, 300, 29.97, 'arm')`,
  )
  await client.query(
    `insert into robot_cards (repo_id, card, card_bytes) values ('${robot}', '${card}', ${card.length})`,
  )
  await client.query(
    `insert into repo_changes (repo_id, seq, at, replaced_at, action, actor_id, files_added, bytes_added, file_count, total_bytes) values
      ('${dataset}', 1, '2026-11-01T00:00:00Z', '2026-11-01T00:10:00Z', 'complete', '${ada}', 1, 11, 1, 11),
      ('${dataset}', 2, '2026-11-01T00:10:00Z', null, 'complete', '${ada}', 1, 9, 2, 20),
      ('${model}', 1, '2026-11-01T00:00:00Z', null, 'complete', '${ada}', 1, 7, 1, 7),
      ('${robot}', 1, '2026-11-01T00:00:00Z', null, 'complete', '${ada}', 1, 9, 1, 9)`,
  )
  return { key, session }
}

async function fillJobs(client: pg.Client): Promise<void> {
  const hash = 'a'.repeat(64)
  await client.query(`insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, robot, recipe, recipe_hash, repo_ids, parent_run_id,
      attempt, claimed_by, claim_credential, started_at, finished_at, config_key, scorecard_key, config_bytes, scorecard_bytes, stored_bytes, log_seq, log_lines,
      log_bytes, metrics_seq, latest_metrics, reward_curve, gates, gate_passed, gate_total) values
    ('${run}', 'cloud', 'succeeded', 'worker', '${lab}', '${ada}', '${fixedId('sess', 1)}', 'act', 'ada/arm',
      '{"template": "act", "dataset": ["lab/walks"], "lr": 1e-4}', '${hash}', array['${dataset}'], null, 1, 'runner', '${fixedId('key', 1)}',
      '2026-11-01T00:00:00Z', '2026-11-01T01:00:00Z', '${configKey}', '${scorecardKey}', ${configText.length}, ${scorecardText.length}, 40, 2, 3, ${logText.length + logRow.length}, 2,
      '{"iter": 2, "reward": 0.25}', '{"metric": "reward", "points": [[1, 0.5], [2, 0.25]]}', '[{"name": "reach", "status": "pass", "detail": null}]', 1, 1),
    ('${imported}', 'external', 'succeeded', null, '${lab}', '${ada}', '${fixedId('sess', 1)}', 'act', null, '{"template": "act", "dataset": []}', '${hash}', '{}',
      null, 0, null, null, '2026-11-01T00:00:00Z', '2026-11-01T01:00:00Z', null, null, null, null, 0, 0, 0, 0, 0, null, null, null, null, null),
    ('${fork}', 'cloud', 'queued', 'worker', '${lab}', '${ada}', '${fixedId('sess', 1)}', 'act', null, '{"template": "act", "dataset": []}', '${hash}', '{}',
      '${run}', 0, null, null, null, null, null, null, null, null, 0, 0, 0, 0, 0, null, null, null, null, null)`)
  await client.query(
    `insert into run_datasets (run_id, position, ref, repo_id, seq) values ('${run}', 0, 'lab/walks', '${dataset}', 2)`,
  )
  await client.query(`insert into repo_snapshots (id, repo_id, name, seq, note, created_by) values
    ('${fixedId('snap', 1)}', '${dataset}', 'v1', 2, 'as trained', '${ada}')`)
  await client.query(`insert into withdrawn_files (repo_id, path, from_seq, to_seq, size, sha256, reason) values
    ('${dataset}', 'secret.env', 1, 2, 5, '${hash}', 'purged')`)
  await client.query(`insert into run_log_chunks (run_id, seq, attempt, stream, storage_key, text, byte_count, line_count, first_line) values
    ('${run}', 1, 1, 'stdout', '${logKey}', null, ${logText.length}, 2, 0), ('${run}', 2, 1, 'stdout', null, '${logRow}', ${logRow.length}, 1, 2)`)
  await client.query(`insert into run_metrics (run_id, seq, attempt, step, reward, line) values
    ('${run}', 1, 1, 1, 0.5, '{"iter": 1, "reward": 0.5}'), ('${run}', 2, 1, 2, 0.25, '{"iter": 2, "reward": 2.5e-1}')`)
  await client.query(
    `insert into run_attempts (run_id, attempt, credential, claimed_by, ended_at, "end") values ('${run}', 1, '${fixedId('key', 1)}', 'runner', now(), 'reported')`,
  )
  await client.query(
    `insert into run_gate_results (run_id, step, rows, pass_count, cell_count, alive_count, seed_count) values ('${run}', 2, '[]', 0, 1, 1, 1)`,
  )
  await client.query(
    `insert into account_measurements (account_id, template, tier, batch, peak_vram_gb, samples_per_s, n_runs) values ('${lab}', 'act', 'l4', 8, 11.5, 120.25, 1)`,
  )
  await client.query(
    `insert into hub_measurements (template, tier, batch, peak_vram_gb, samples_per_s, n_runs) values ('act', 'l4', 8, 9.5, 100.25, 1)`,
  )
  await client.query(
    `insert into run_measurements (template, tier, batch, peak_vram_gb, samples_per_s, n_runs) values ('act', 'l4', 8, 11.5, 120.25, 1)`,
  )
  await client.query(`insert into deleted_runs (run_id, created_by, filed_by, reserved, max_hours, created_at, cleared_at) values
    ('${fixedId('run', 9)}', '${ada}', '${fixedId('key', 1)}', true, 4, now(), now())`)
  await client.query(
    `insert into repo_references (repo_id, referrer_id, reason, referrer_kind, owner_id) values ('${dataset}', '${fork}', 'dataset', 'run', '${lab}')`,
  )
  await client.query(`insert into robot_checks (id, kind, status, executor, owner_id, created_by, filed_by, quota_account_id, robot_repo_id, robot_repo_name, repo_ids,
      attempt, claim_credential, claimed_by, started_at, finished_at, log_seq, log_lines, log_bytes, log_tail, card, needs_you, engine, report) values
    ('${check}', 'robot', 'succeeded', 'worker', '${ada}', '${ada}', '${fixedId('sess', 1)}', '${ada}', '${robot}', 'ada/arm', array['${robot}'],
      1, '${fixedId('key', 1)}', 'worker', '2026-11-01T00:00:00Z', '2026-11-01T00:01:00Z', 1, 1, ${checkLogText.length}, '${checkLogText.trim()}', '${card}', '[]', null, null)`)
  await client.query(`insert into robot_check_artifacts (check_id, name, storage_key, store_upload_id, size, sha256) values
    ('${check}', 'robot_card.json', '${artifactKey}', 'none', ${card.length}, '${sha256(card)}')`)
  await client.query(`insert into robot_check_log_chunks (check_id, seq, attempt, stream, storage_key, byte_count, line_count, first_line) values
    ('${check}', 1, 1, 'stderr', '${checkLogKey}', ${checkLogText.length}, 1, 0)`)
  await client.query(
    `insert into devices (id, owner_id, name, robot_repo_id, robot_repo_name, created_by) values ('${device}', '${lab}', 'bench', '${robot}', 'ada/arm', '${ada}')`,
  )
  await client.query(`insert into endpoints (id, status, executor, owner_id, created_by, filed_by, model_repo_id, model_repo_name, repo_ids, artifact_kind, artifact_path,
      model_sha256, artifact_files, artifact_bytes, repo_seq, control_class, tier, params, vram_bytes, attempt, claim_credential, claimed_by, started_at, finished_at, sessions_total) values
    ('${endpoint}', 'stopped', 'worker', '${lab}', '${ada}', '${fixedId('sess', 1)}', '${model}', 'lab/policy', array['${model}'], 'onnx', 'policy.onnx',
      '${hash}', 1, 7, 1, 'skill', 'l4', 1000, 2400, 1, '${fixedId('key', 1)}', 'server', '2026-11-01T00:00:00Z', '2026-11-01T01:00:00Z', 1)`)
  await client.query(`insert into approvals (id, endpoint_id, device_id, model_sha256, status, minted_by, expires_at) values
    ('${approval}', '${endpoint}', '${device}', '${hash}', 'issued', '${ada}', '2030-01-01T00:00:00Z')`)
  await client.query(`insert into endpoint_sessions (id, endpoint_id, device_id, approval_id, status, opened_by, expires_at, closed_at, closed_reason) values
    ('${fixedId('esess', 1)}', '${endpoint}', '${device}', '${approval}', 'closed', '${ada}', '2026-11-01T01:00:00Z', '2026-11-01T00:30:00Z', 'closed')`)
  await client.query(`insert into hosted_calls (id, job_kind, job_id, backend, function_name, state, ended_at) values
    ('${fixedId('call', 1)}', 'run', '${run}', 'process', 'coach', 'ended', now())`)
  await client.query(`insert into ledger (id, account_id, job_kind, job_id, attempt, kind, tier, seconds, amount_usd) values
    ('${fixedId('led', 1)}', '${lab}', 'run', '${run}', 1, 'gpu', 'l4', 3600.125, 0.7992)`)
  await client.query(`insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, created_by, request, summary, estimate_usd, reserve_usd, allowance_usd,
      expires_at, decided_at, decided_by, reason) values
    ('${fixedId('spend', 1)}', 'denied', 'run', '${lab}', '${fixedId('key', 1)}', 'robot key', '${ada}', '{"template": "act"}', 'act on l4', 1.5, 2, 0,
      '2026-11-02T00:00:00Z', '2026-11-01T00:00:00Z', '${ada}', 'too much')`)
  await client.query(
    `insert into spend_reservations (job_id, job_kind, account_id, amount_usd, allowance) values ('${fork}', 'run', '${lab}', 3.5, false)`,
  )
  await client.query(
    `insert into device_logins (id, device_code_sha256, user_code, state, name, scope, key_ttl_s, expires_at, decided_at, decided_by) values
      ($1, $2, 'BCDFGHJK', 'denied', 'laptop', 'read', 3600, '2030-01-01T00:00:00Z', now(), '${ada}')`,
    [fixedId('dlog', 1), Buffer.from(sha256('device code'), 'hex')],
  )
  await client.query(`insert into user_code_misses (account_id, count) values ('${ada}', 1)`)
}

/** What a person asks a hub about these rows. */
export const paths: readonly string[] = [
  '/v1/me',
  '/v1/repos',
  '/v1/repos?kind=robot',
  '/v1/repos?owner=lab&limit=1',
  '/v1/repos?q=walk',
  '/v1/repos/lab/walks',
  '/v1/repos/lab/policy',
  '/v1/repos/ada/arm',
  '/v1/repos/ada/none',
  '/v1/repos/lab/walks/tree',
  '/v1/repos/lab/walks/tree?limit=1',
  '/v1/repos/lab/policy/tree',
  '/v1/robots/ada/arm/card',
  '/v1/hardware_tiers',
  '/v1/spend',
  '/v1/spend/holds',
  `/v1/spend/holds/${fixedId('spend', 1)}`,
  '/v1/runs',
  '/v1/runs?status=queued',
  `/v1/runs/${run}`,
  `/v1/runs/${fork}`,
  `/v1/runs/${imported}`,
  `/v1/runs/${run}/config`,
  `/v1/runs/${run}/checkpoints`,
  `/v1/runs/${run}/metrics`,
  `/v1/runs/${run}/logs/download`,
  '/v1/robot-checks',
  `/v1/robot-checks/${check}`,
  `/v1/robot-checks/${check}/logs/download`,
  '/v1/endpoints',
  `/v1/endpoints/${endpoint}`,
  `/v1/endpoints/${endpoint}/sessions`,
  ...files.map(({ repo, path }) => `/v1/repos/${repo}/resolve/${encodeURI(path)}`),
]

export const queries: readonly string[] = [
  '{ viewer { account { handle name } } }',
  '{ repos(first: 10) { nodes { id fullName tags description fileSummary { count totalBytes } files(first: 5) { nodes { path size sha256 } } } } }',
  '{ movedRepo(owner: "lab", slug: "strolls") { fullName commitId hfName } }',
  '{ runs(first: 10) { nodes { id status displayName sparkline { metric points } } } }',
]
