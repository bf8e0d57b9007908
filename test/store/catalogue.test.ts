import { expect, test } from 'vitest'
import { testDb } from '../support/database.ts'

const t = testDb()
const sql = <T>(text: string) => t.db.query<T>({ name: '', text })

test('names, slugs and paths are ordered by their bytes', async () => {
  const columns = await sql<{ at: string }>(
    `select table_name || '.' || column_name as at from information_schema.columns
     where table_schema = 'public' and collation_name = 'C' order by 1`,
  )
  expect(columns.map(({ at }) => at)).toEqual([
    'accounts.handle',
    'files.path',
    'repo_old_names.slug',
    'repos.slug',
    'uploads.path',
  ])
})

test('the indexes that Prisma cannot express exist, each with its condition', async () => {
  const indexes = await sql<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes where schemaname = 'public'
     and (indexdef like '% WHERE %' or indexdef like '%USING gin%' or indexdef like '%lower(%') order by 1`,
  )
  expect(indexes.map(({ name }) => name)).toEqual([
    'api_keys_made',
    'approvals_live',
    'blobs_doomed',
    'blobs_unverified',
    'blobs_verified',
    'dataset_meta_robot_type',
    'deleted_runs_left',
    'deleted_runs_reserved',
    'device_logins_pending',
    'endpoint_sessions_open',
    'endpoints_running',
    'endpoints_to_dispatch',
    'endpoints_waiting',
    'files_closed',
    'files_live',
    'files_live_blob',
    'files_pinned',
    'files_replaced',
    'hosted_calls_live',
    'model_meta_robot',
    'model_meta_robot_repo',
    'repos_card_pending',
    'repos_description_trgm',
    'repos_labels',
    'repos_private_created',
    'repos_private_updated',
    'repos_public_created',
    'repos_public_kind_created',
    'repos_public_kind_updated',
    'repos_public_updated',
    'repos_slug_trgm',
    'robot_check_artifacts_open',
    'robot_checks_made_for_others',
    'robot_checks_made_for_others_by_robot',
    'robot_checks_made_for_others_by_status',
    'robot_checks_model',
    'robot_checks_model_by_status',
    'robot_checks_model_for_others',
    'robot_checks_model_for_others_by_status',
    'robot_checks_pins',
    'robot_checks_repos',
    'robot_checks_robot',
    'robot_checks_robot_by_status',
    'robot_checks_robot_for_others',
    'robot_checks_robot_for_others_by_status',
    'robot_checks_running',
    'robot_checks_to_dispatch',
    'robot_checks_waiting',
    'run_datasets_pins',
    'runs_forks',
    'runs_gated',
    'runs_hosted',
    'runs_kind',
    'runs_made_for_others',
    'runs_repos',
    'runs_reserved',
    'runs_robot',
    'runs_robot_repo',
    'runs_running',
    'runs_to_dispatch',
    'runs_unmeasured',
    'runs_waiting',
    'spend_holds_pending',
    'spend_reservations_renewed',
    'uploads_resumable',
    'uploads_unfinished',
  ])
  const of = (name: string) => indexes.find((index) => index.name === name)?.definition ?? ''
  expect(of('files_live')).toMatch(/^CREATE UNIQUE INDEX .*\(repo_id, path\) WHERE \(to_seq IS NULL\)$/)
  expect(of('files_live_blob')).toMatch(/\(blob_id, repo_id\) WHERE \(to_seq IS NULL\)$/)
  expect(of('blobs_verified')).toMatch(/^CREATE UNIQUE INDEX .*\(sha256, size\) WHERE/)
  expect(of('uploads_resumable')).toMatch(/^CREATE UNIQUE INDEX/)
  expect(of('device_logins_pending')).toMatch(/^CREATE UNIQUE INDEX/)
  expect(of('repos_slug_trgm')).toContain('gin_trgm_ops')
})

const anApproval = (status: string, digest: string) =>
  `insert into approvals (id, endpoint_id, device_id, model_sha256, status, minted_by, expires_at)
   values ('x', 'x', 'x', '${digest}', '${status}', 'x', now())`

const aHold = (status: string, decidedAt: string, reserveUsd: string) =>
  `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, request, summary, estimate_usd, reserve_usd, allowance_usd, expires_at, decided_at)
   values ('x', ${status}, 'run', 'x', 'x', 'x', '{}', 'x', 1, ${reserveUsd}, 0, now(), ${decidedAt})`

const aLogin = (changes: string) =>
  `insert into device_logins (id, device_code_sha256, user_code, state, name, scope, key_ttl_s, expires_at, key_id)
   select 'x', '', l->>'code', (l->>'state')::"DeviceLoginState", 'x', 'read', (l->>'ttl')::int, now(), l->>'key'
   from (select jsonb '{"code":"BCDFGHJK","state":"pending","ttl":1}' || '${changes}' as l) given`

test.each([
  ['device_logins_code_form', aLogin('{"code":"ABCDEFGH"}')],
  ['device_logins_decided_whole', aLogin('{"state":"denied"}')],
  ['device_logins_key_of_consumed', aLogin('{"key":"key_x"}')],
  ['device_logins_bounds', aLogin('{"ttl":0}')],
  ['accounts_handle_form', `insert into accounts (id, kind, handle) values ('x', 'user', 'Not-Lower')`],
  ['accounts_bytes_counted', `insert into accounts (id, kind, handle, storage_bytes) values ('x', 'user', 'x', -1)`],
  [
    'accounts_uploads_counted',
    `insert into accounts (id, kind, handle, pending_uploads) values ('x', 'user', 'x', -1)`,
  ],
  ['repos_slug_form', `insert into repos (id, owner_id, slug, kind) values ('x', 'x', '-a', 'robot')`],
  [
    'repos_files_counted',
    `insert into repos (id, owner_id, slug, kind, verified_count) values ('x', 'x', 'a', 'robot', 1)`,
  ],
  [
    'repos_tags_limit',
    `insert into repos (id, owner_id, slug, kind, tags) select 'x', 'x', 'a', 'robot', array_agg(n::text) from generate_series(1, 21) n`,
  ],
  ['files_closed_whole', `insert into files (repo_id, path, from_seq, to_seq, blob_id) values ('x', 'a', 1, 2, 'x')`],
  [
    'files_seq_order',
    `insert into files (repo_id, path, from_seq, to_seq, closed_at, blob_id) values ('x', 'a', 2, 2, now(), 'x')`,
  ],
  [
    'repos_snapshots_counted',
    `insert into repos (id, owner_id, slug, kind, snapshot_bytes) values ('x', 'x', 'a', 'robot', -1)`,
  ],
  [
    'repo_changes_counted',
    `insert into repo_changes (repo_id, seq, at, action, file_count, total_bytes) values ('x', 0, now(), 'complete', 0, 0)`,
  ],
  [
    'repo_changes_commit_form',
    `insert into repo_changes (repo_id, seq, commit_id, at, action, file_count, total_bytes) values ('x', 1, 'abc', now(), 'complete', 0, 0)`,
  ],
  [
    'repo_changes_message_length',
    `insert into repo_changes (repo_id, seq, message, at, action, file_count, total_bytes) values ('x', 1, repeat('m', 501), now(), 'complete', 0, 0)`,
  ],
  [
    'repos_empty_commit_form',
    `insert into repos (id, owner_id, slug, kind, empty_commit_id) values ('x', 'x', 'a', 'robot', repeat('G', 40))`,
  ],
  ['repos_hf_name_form', `insert into repos (id, owner_id, slug, kind, hf_name) values ('x', 'x', 'a', 'robot', 'B')`],
  ['repo_snapshots_name_form', `insert into repo_snapshots (id, repo_id, name, seq) values ('x', 'x', 'RUN_1', 1)`],
  ['repo_snapshots_seq_counted', `insert into repo_snapshots (id, repo_id, name, seq) values ('x', 'x', 'a', -1)`],
  [
    'withdrawn_files_seq_order',
    `insert into withdrawn_files (repo_id, path, from_seq, to_seq, size, sha256, reason) values ('x', 'a', 2, 2, 1, 'x', 'purged')`,
  ],
  [
    'blobs_size_range',
    `insert into blobs (id, storage_key, size, claimed) values ('x', 'x', 53687091201, repeat('a', 64))`,
  ],
  ['blobs_digest_form', `insert into blobs (id, storage_key, size, claimed) values ('x', 'x', 1, 'A')`],
  ['run_datasets_pinned_whole', `insert into run_datasets (run_id, position, ref, seq) values ('x', 0, 'x', 1)`],
  [
    'run_log_chunks_stored_once',
    `insert into run_log_chunks (run_id, seq, attempt, stream, byte_count, line_count, first_line) values ('x', 1, 1, 'stderr', 0, 0, 0)`,
  ],
  [
    'run_log_chunks_counted',
    `insert into run_log_chunks (run_id, seq, attempt, stream, text, byte_count, line_count, first_line) values ('x', 0, 1, 'stderr', '', 0, 0, 0)`,
  ],
  [
    'run_attempts_ended_whole',
    `insert into run_attempts (run_id, attempt, credential, claimed_by, "end") values ('x', 1, 'x', 'x', 'swept')`,
  ],
  [
    'run_gate_results_counted',
    `insert into run_gate_results (run_id, step, rows, pass_count, cell_count, alive_count, seed_count) values ('x', 1, '[]', 2, 1, 0, 0)`,
  ],
  [
    'robot_checks_limited',
    `insert into robot_checks (id, kind, status, executor, owner_id, filed_by, quota_account_id, robot_repo_id)
      values ('x', 'robot', 'queued', 'hosted', 'x', 'x', 'x', 'x')`,
  ],
  [
    'spend_reservations_counted',
    `insert into spend_reservations (job_id, job_kind, account_id, amount_usd, allowance) values ('x', 'run', 'x', -1, false)`,
  ],
  ['accounts_spend_cap_whole', `insert into accounts (id, kind, handle, spend_cap_usd) values ('x', 'user', 'x', 1)`],
  [
    'signing_keys_withdrawn_retired',
    `insert into signing_keys (kid, public_jwk, sealed_private, withdrawn_at) values ('x', '{}', '', now())`,
  ],
  [
    'endpoint_sessions_closed_dated',
    `insert into endpoint_sessions (id, endpoint_id, status, opened_by, expires_at) values ('x', 'x', 'closed', 'x', now())`,
  ],
  [
    'endpoint_sessions_counted',
    `insert into endpoint_sessions (id, endpoint_id, status, opened_by, expires_at, gpu_seconds) values ('x', 'x', 'open', 'x', now(), -1)`,
  ],
  ['approvals_revoked_whole', anApproval('revoked', 'a'.repeat(64))],
  ['approvals_digest_form', anApproval('issued', 'A')],
  ['spend_holds_decided_dated', aHold(`'denied'`, 'null', '1')],
  ['spend_holds_result_of_approval', aHold(`'approved'`, 'now()', '1')],
  ['spend_holds_amounts', aHold(`'pending'`, 'null', '-1')],
  [
    'hosted_calls_states',
    `insert into hosted_calls (id, job_kind, job_id, backend, function_name, state) values ('x', 'run', 'x', 'process', 'x', 'pending')`,
  ],
  [
    'blobs_doomed_dated',
    `insert into blobs (id, storage_key, size, claimed, state) values ('x', 'x', 1, repeat('a', 64), 'doomed')`,
  ],
])('the database itself holds to %s', async (constraint, statement) => {
  await expect(sql(statement)).rejects.toMatchObject({ code: '23514', constraint })
})

const aRun = (changes: string) =>
  `insert into runs (id, kind, status, executor, owner_id, filed_by, template, recipe, recipe_hash, log_open_from)
   select 'x', (r->>'kind')::"RunKind", (r->>'status')::"JobStatus", (r->>'executor')::"RunExecutor", 'x', 'x', 'act', '{}', r->>'hash', (r->>'open')::int
   from (select jsonb '{"kind":"cloud","status":"queued","executor":"worker","hash":"${'a'.repeat(64)}"}' || '${changes}' as r) given`

test.each([
  ['runs_hash_form', aRun('{"hash":"A"}')],
  ['runs_imported_has_no_executor', aRun('{"kind":"external"}')],
  ['runs_running_is_claimed', aRun('{"status":"running"}')],
  ['runs_ended_dated', aRun('{"status":"succeeded"}')],
  ['runs_log_open', aRun('{"open":1}')],
])('a run holds to %s', async (constraint, statement) => {
  await expect(sql(statement)).rejects.toMatchObject({ code: '23514', constraint })
})

const anEndpoint = (changes: string) =>
  `insert into endpoints (id, status, executor, owner_id, filed_by, model_repo_id, model_repo_name, artifact_kind, artifact_path, model_sha256, artifact_files,
     artifact_bytes, repo_seq, control_class, tier, params, vram_bytes, max_hours, sessions_open)
   select 'x', (e->>'status')::"EndpointStatus", (e->>'executor')::"RunExecutor", 'x', 'x', 'x', 'a/b', 'onnx', 'a.onnx', e->>'sha256', 1, 1, 1,
     (e->>'class')::"ControlClass", 'l4', 1, 3, (e->>'hours')::numeric, (e->>'open')::int
   from (select jsonb '{"status":"queued","executor":"worker","sha256":"${'a'.repeat(64)}","class":"skill","open":0}' || '${changes}' as e) given`

test.each([
  ['endpoints_running_is_claimed', anEndpoint('{"status":"running"}')],
  ['endpoints_ended_dated', anEndpoint('{"status":"stopped"}')],
  ['endpoints_pinned', anEndpoint('{"sha256":"A"}')],
  ['endpoints_served_remotely', anEndpoint('{"class":"reflex"}')],
  ['endpoints_priced_whole', anEndpoint('{"executor":"hosted"}')],
  ['endpoints_limits', anEndpoint('{"hours":721}')],
  ['endpoints_counted', anEndpoint('{"open":1}')],
])('an endpoint holds to %s', async (constraint, statement) => {
  await expect(sql(statement)).rejects.toMatchObject({ code: '23514', constraint })
})

test('the ledger is append-only: no row can be updated, deleted or truncated', async () => {
  await sql(`insert into accounts (id, kind, handle) values ('user_ledger', 'user', 'ledger')`)
  await sql(`insert into ledger (id, account_id, job_kind, job_id, attempt, kind, seconds, amount_usd)
    values ('led_1', 'user_ledger', 'run', 'run_1', 1, 'gpu', 3600, 0.7992)`)
  for (const change of [`update ledger set amount_usd = 0`, 'delete from ledger', 'truncate ledger'])
    await expect(sql(change)).rejects.toThrow('append-only')
})

test('the audit log is append-only: no row can be updated, deleted or truncated', async () => {
  await sql(`insert into audit_log (id, action, target_id) values ('aud_1', 'test', 'x')`)
  for (const change of [`update audit_log set action = 'other'`, 'delete from audit_log', 'truncate audit_log'])
    await expect(sql(change)).rejects.toThrow('append-only')
  expect(await sql('select id from audit_log')).toEqual([{ id: 'aud_1' }])
})

test('a repo with a reference cannot be deleted, and a reference has a kind of job and the billed account', async () => {
  await sql(`insert into accounts (id, kind, handle) values ('user_refers', 'user', 'refers')`)
  await sql(`insert into repos (id, owner_id, slug, kind) values ('repo_kept', 'user_refers', 'kept', 'dataset')`)
  const refer = (kind: string, owner: string) =>
    sql(`insert into repo_references (repo_id, referrer_id, reason, referrer_kind, owner_id)
      values ('repo_kept', 'run_1', 'dataset', ${kind}, ${owner})`)
  await expect(refer('null', `'user_refers'`)).rejects.toMatchObject({ code: '23502', column: 'referrer_kind' })
  await expect(refer(`'run'`, 'null')).rejects.toMatchObject({ code: '23502', column: 'owner_id' })
  await expect(refer(`'run'`, `'user_gone'`)).rejects.toMatchObject({ code: '23503' })
  await refer(`'run'`, `'user_refers'`)
  await expect(sql(`delete from repos where id = 'repo_kept'`)).rejects.toMatchObject({
    constraint: 'repo_references_repo_id_fkey',
  })
})
