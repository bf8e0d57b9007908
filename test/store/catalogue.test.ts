import { expect, test } from 'vitest'
import { refusedRows } from '../support/cases.ts'
import { testDb } from '../support/database.ts'

const t = testDb()
const sql = <T>(text: string) => t.db.query<T>({ name: '', text })

test('names, slugs, paths and keys are ordered by their bytes', async () => {
  const columns = await sql<{ at: string }>(
    `select table_name || '.' || column_name as at from information_schema.columns
     where table_schema = 'public' and collation_name = 'C' order by 1`,
  )
  expect(columns.map(({ at }) => at)).toEqual([
    'accounts.handle',
    'episode_selections.name',
    'files.path',
    'repo_facets.value',
    'repo_old_names.slug',
    'repos.slug',
    'rollouts.task',
    'run_media.key',
    'run_media_keys.key',
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
    'bodies_fits_pending',
    'dataset_checks_claimable',
    'dataset_checks_running',
    'dataset_meta_check_due',
    'dataset_meta_robot_type',
    'deleted_runs_cleared',
    'deleted_runs_left',
    'deleted_runs_reserved',
    'device_logins_pending',
    'device_logins_undecided',
    'endpoint_sessions_open',
    'endpoints_running',
    'endpoints_to_dispatch',
    'endpoints_waiting',
    'episode_films_open',
    'episode_labels_current',
    'files_closed',
    'files_live',
    'files_live_blob',
    'files_pinned',
    'files_replaced',
    'hosted_calls_ended',
    'hosted_calls_live',
    'metric_archives_due',
    'metric_archives_to_drop',
    'model_meta_robot',
    'model_meta_robot_repo',
    'repo_bodies_private',
    'repo_bodies_public',
    'repo_changes_of_runs',
    'repo_facets_doomed',
    'repos_body_pending',
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
    'robot_checks_log_kept',
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
    'rollout_episodes_dropped',
    'rollouts_entry',
    'rollouts_private',
    'rollouts_private_best',
    'rollouts_public',
    'rollouts_public_best',
    'run_datasets_pins',
    'run_facets_doomed',
    'runs_forks',
    'runs_gated',
    'runs_group',
    'runs_hosted',
    'runs_kind',
    'runs_log_kept',
    'runs_made_for_others',
    'runs_project',
    'runs_repos',
    'runs_reserved',
    'runs_robot',
    'runs_robot_repo',
    'runs_running',
    'runs_summary_pending',
    'runs_tags',
    'runs_to_dispatch',
    'runs_unmeasured',
    'runs_waiting',
    'runs_words',
    'spend_holds_pending',
    'spend_reservations_renewed',
    'uploads_ended',
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

test('each CHECK has a row that it refuses', async () => {
  const checks = await sql<{ name: string }>(
    `select conname as name from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace order by 1`,
  )
  const advice = 'Add an insert that it refuses to `rows.refused` of test/<subject>/*.cases.ts, under its name.'
  expect(
    checks.map(({ name }) => name).filter((name) => !Object.hasOwn(refusedRows, name)),
    advice,
  ).toEqual([])
})

const refused = Object.entries(refusedRows)
const ofTable = (table: string) => refused.filter(([constraint]) => constraint.startsWith(`${table}_`))
const ofOthers = refused.filter((row) => !['runs', 'endpoints'].some((table) => ofTable(table).includes(row)))

const expectRefused = (constraint: string, statement: string) =>
  expect(sql(statement)).rejects.toMatchObject({ code: '23514', constraint })

test.each(ofOthers)('the database itself holds to %s', expectRefused)

test.each(ofTable('runs'))('a run holds to %s', expectRefused)

test.each(ofTable('endpoints'))('an endpoint holds to %s', expectRefused)

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

test('only entries of 32 days may go, in a transaction of the retention', async () => {
  const forget = (text: string) => sql(`begin; ${text}; delete from audit_log where target_id = 'y'; commit`)
  const retained = `set local hub.audit_retention = 'on'`
  const left = () => sql(`select id from audit_log where target_id = 'y'`)
  await sql(
    `insert into audit_log (id, at, action, target_id) values ('aud_2', now() - interval '33 days', 'test', 'y')`,
  )
  await expect(forget('select 1')).rejects.toThrow('append-only')
  await sql('rollback')
  await forget(retained)
  expect(await left()).toEqual([])
  await sql(
    `insert into audit_log (id, at, action, target_id) values ('aud_3', now() - interval '31 days', 'test', 'y')`,
  )
  await expect(forget(retained)).rejects.toThrow('append-only')
  await sql('rollback')
  expect(await left()).toEqual([{ id: 'aud_3' }])
})

test('a repo with a reference cannot be deleted; a reference has a kind of job and the billed account', async () => {
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
