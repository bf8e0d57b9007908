/** What is read of models that have as many results as they may, of which few are shown. */
import { beforeAll, describe, expect, it } from 'vitest'
import { entriesPage } from '../../src/rollouts/boards.ts'
import { MAX_RESULTS_PER_MODEL } from '../../src/rollouts/limits.ts'
import { pageOfPolicies } from '../../src/rollouts/list-rollouts.ts'
import { policyFiles } from '../../src/rollouts/policies-at.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { passedOver, plansOf } from '../support/plans.ts'

const t = testDb()
const MODELS = 4
const RESULTS = MODELS * MAX_RESULTS_PER_MODEL
const robot = 'repo_robot'
const hex = (n: string) => `lpad(to_hex(${n}), 64, '0')`

const names = `id, model_repo_id, model_seq, model_commit, policy_path, policy_digest, robot_repo_id, robot_seq,
  robot_commit, task, conditions, fingerprint, first_seed, seeds, successes, lowest, highest, mean_return, mean_seconds,
  software, key, by_agent`

interface Shown {
  readonly path: string
  readonly seq: string
  readonly seeds: string
  readonly first: string
  readonly board: string
}

/** Results `n` of each model `m`. */
const results = (id: string, { path, seq, seeds, first, board }: Shown, each = MAX_RESULTS_PER_MODEL) =>
  `insert into rollouts (${names}) select '${id}' || m || '_' || lpad(n::text, 5, '0'), 'repo_' || m, ${seq},
      repeat('a', 40), ${path}, repeat('b', 64), '${robot}', 1, repeat('c', 40), 'reach',
      '{"task":{"name":"reach"},"disturbance":{}}', repeat('${board}', 64), ${first}, ${seeds}, 0, 0, 0.9, 1, 2, '{}',
      ${hex(`n::int + ${Number(`0x${board}`) * RESULTS}`)}, false
    from generate_series(1, ${MODELS}) m, generate_series(1, ${each}) n`

const run = (text: string) => t.db.query<Record<string, unknown>>({ name: '', text })

beforeAll(async () => {
  for (const text of [
    `insert into accounts (id, kind, handle) values ('user_1', 'user', 'eve')`,
    `insert into repos (id, owner_id, slug, kind, visibility) values ('${robot}', 'user_1', 'arm', 'robot', 'public')`,
    `insert into repos (id, owner_id, slug, kind, visibility)
      select 'repo_' || n, 'user_1', 'm' || n, 'model', 'public' from generate_series(1, ${MODELS}) n`,
    // Each better than all before it, and none has succeeded: whatever is read in order of the rate reads all.
    results('roll_s', { path: `'p.onnx'`, seq: '1', seeds: '1', first: '100000 - n', board: '1' }),
    'vacuum analyze repos, rollouts, accounts',
  ])
    await run(text)
})

type Plans = Awaited<ReturnType<typeof plansOf>>
const rowsOf = (plan: Plans[number]) =>
  plan.reduce(
    (sum, node) =>
      sum + node['Actual Loops'] * (Number(node['Actual Rows']) + (node['Rows Removed by Join Filter'] ?? 0)),
    passedOver(plan, 'rollouts'),
  )

it('a board reads of each policy the one that it shows', async () => {
  const given = { accountIds: [], repoIds: null, robotIds: [robot], fingerprint: '1'.repeat(64), limit: 21 }
  const values = orderedValues(entriesPage, { ...given, afterLowest: 2, afterName: '', afterId: '' })
  for (const plan of await plansOf(t.db, entriesPage.text, values)) {
    expect(Number(plan[0]?.['Actual Rows'])).toBe(MODELS)
    expect(rowsOf(plan)).toBeLessThan(60 * MODELS)
  }
})

it('results of a version look each policy and its files up, and compare no two lists', async () => {
  // Each of a policy of its own.
  await run(results('roll_p', { path: `'p' || n || '.onnx'`, seq: '1', seeds: '1', first: 'n', board: '2' }))
  await run(`insert into blobs (id, size, sha256, claimed, storage_key)
    values ('blob_1', 1, repeat('d', 64), repeat('d', 64), 'key')`)
  await run(`insert into repo_changes (repo_id, seq, at, action, file_count, total_bytes)
    select 'repo_' || m, 1, now(), 'complete', ${MAX_RESULTS_PER_MODEL}, 1 from generate_series(1, ${MODELS}) m`)
  await run(`insert into files (repo_id, path, from_seq, blob_id) select 'repo_' || m, 'p' || n || '.onnx', 1, 'blob_1'
    from generate_series(1, ${MODELS}) m, generate_series(1, ${MAX_RESULTS_PER_MODEL}) n`)
  await run('vacuum analyze rollouts, files')
  const all = await run(`select model_repo_id as repo, policy_path as path from rollouts where id like 'roll_p%'`)
  const policies = {
    ofIds: all.map(({ repo }) => String(repo)),
    paths: all.map(({ path }) => String(path)),
    digests: all.map(() => 'd'.repeat(64)),
  }
  const modelIds = Array.from({ length: MODELS }, (_, n) => `repo_${n + 1}`)
  const seqs = { repoIds: modelIds, seqs: Array(MODELS).fill(1) }
  for (const plan of await plansOf(t.db, policyFiles.text, orderedValues(policyFiles, seqs))) {
    expect(Number(plan[0]?.['Actual Rows'])).toBe(RESULTS)
    expect(rowsOf(plan)).toBeLessThan(40 * RESULTS)
  }
  const given = { accountIds: [], repoIds: null, modelIds, robot: null, after: null, limit: 21 }
  const values = orderedValues(pageOfPolicies, { ...given, ...policies })
  for (const plan of await plansOf(t.db, pageOfPolicies.text, values)) {
    expect(Number(plan[0]?.['Actual Rows'])).toBe(0)
    // Each result and its robot, with the owner of that: two lists of so many that are compared are 16 million.
    expect(rowsOf(plan)).toBeLessThan(20 * RESULTS)
  }
})

describe('the result that a board has of a policy', () => {
  const wrong = () =>
    run(`select id from rollouts x where is_entry is distinct from (id = (select id from rollouts n
      where n.model_repo_id = x.model_repo_id and n.robot_repo_id = x.robot_repo_id
        and n.fingerprint = x.fingerprint and n.policy_path = x.policy_path
      order by model_seq desc, seeds desc, first_seed, id limit 1))`)
  const mixed = { path: `'p' || n % 3 || '.onnx'`, seq: '1 + n * 7 % 5', seeds: '1 + n * 11 % 4', first: 'n * 13 % 7' }

  it('is the same whichever results come and go together or one by one', async () => {
    await run(results('roll_m', { ...mixed, board: '3' }, 60))
    expect(await wrong()).toEqual([])
    for (let seq = 1; seq <= 9; seq += 1) {
      await run(results(`roll_n${seq}_`, { ...mixed, seq: `${seq}`, board: (seq + 4).toString(16) }, 1))
      await run(`delete from rollouts where id in (select id from rollouts where fingerprint = repeat('3', 64)
        order by is_entry desc, id limit 7)`)
      expect(await wrong()).toEqual([])
    }
    expect(await run(`select 1 from rollouts where fingerprint = repeat('3', 64) and is_entry limit 1`)).toHaveLength(1)
    await run(`delete from repos where id = '${robot}'`)
    expect(await run('select 1 from rollouts')).toEqual([])
  })
})
