/** What boards read of a robot that very many have results on: those that their reader sees, and no others. */
import { beforeAll, describe, expect, it } from 'vitest'
import { boardsPage, entriesPage } from '../../src/rollouts/boards.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { passedOver, plansOf, scansOf } from '../support/plans.ts'

const t = testDb()
/** Results of a stranger's private models, and of public ones, on one robot. */
const HIDDEN = 6000
const PUBLIC = 3000
const BOARDS = 30
/** Results of one more board, of which no more are counted than are told. */
const LARGE = 5000
const hex = (n: string) => `lpad(to_hex(${n}), 64, '0')`
const robot = 'repo_robot'

beforeAll(async () => {
  for (const text of [
    `insert into accounts (id, kind, handle) values ('user_1', 'user', 'eve'), ('user_2', 'user', 'ada')`,
    `insert into repos (id, owner_id, slug, kind, visibility) values ('${robot}', 'user_1', 'arm', 'robot', 'public')`,
    `insert into repos (id, owner_id, slug, kind, visibility)
      select 'repo_' || n, case when n % 1000 = 1 then 'user_2' else 'user_1' end, 'm' || n, 'model',
        (case when n <= ${HIDDEN} then 'private' else 'public' end)::"Visibility"
      from generate_series(1, ${HIDDEN + PUBLIC}) n`,
    `insert into rollouts (id, model_repo_id, model_seq, model_commit, policy_path, policy_digest, robot_repo_id,
        robot_seq, robot_commit, task, conditions, fingerprint, first_seed, seeds, successes, lowest, highest,
        mean_return, mean_seconds, software, key, by_agent)
      select 'roll_' || n, 'repo_' || n, 1, repeat('a', 40), 'p.onnx', repeat('b', 64), '${robot}', 1, repeat('c', 40),
        'task-' || n % ${BOARDS}, '{"task":{"name":"x"},"disturbance":{}}', ${hex(`(n % ${BOARDS})::int`)}, 0, 100, 87,
        0.8 - (n % 997) / 10000.0, 0.9, 1, 2, '{}', ${hex('n::int')}, false
      from generate_series(1, ${HIDDEN + PUBLIC}) n`,
    `insert into repos (id, owner_id, slug, kind, visibility)
      select 'repo_l' || n, 'user_1', 'l' || n, 'model', 'public' from generate_series(1, ${LARGE}) n`,
    `insert into rollouts (id, model_repo_id, model_seq, model_commit, policy_path, policy_digest, robot_repo_id,
        robot_seq, robot_commit, task, conditions, fingerprint, first_seed, seeds, successes, lowest, highest,
        mean_return, mean_seconds, software, key, by_agent, created_at)
      select 'roll_l' || n, 'repo_l' || n, 1, repeat('a', 40), 'p.onnx', repeat('b', 64), '${robot}',
        1, repeat('c', 40),
        'a-large', '{"task":{"name":"x"},"disturbance":{}}', repeat('f', 64), 0, 100, 87, 0.8, 0.9, 1, 2, '{}',
        ${hex(`${HIDDEN + PUBLIC} + n`)}, false, timestamptz '2026-01-01' + n * interval '1 minute'
      from generate_series(1, ${LARGE}) n`,
    'vacuum analyze repos, rollouts, accounts',
  ])
    await t.db.query({ name: '', text })
})

const anyone = { accountIds: [], repoIds: null }
const ada = { accountIds: ['user_2'], repoIds: null }
/** Has all that is hidden from the others, and of the public ones the same boards. */
const eve = { accountIds: ['user_1'], repoIds: null }
const page = { robotIds: [robot], limit: 21 }
const fingerprint = '1'.padStart(64, '0')

type Plans = Awaited<ReturnType<typeof plansOf>>
const rowsOf = (plan: Plans[number], table: string) =>
  plan
    .filter((node) => node['Relation Name'] === table)
    .reduce((sum, node) => sum + node['Actual Loops'] * Number(node['Actual Rows']), passedOver(plan, table))

describe(`of ${HIDDEN} hidden results and ${PUBLIC} public ones`, () => {
  it.each([
    // 20 of 30 boards have 100 public results each, one has many; each is found by itself, and its results are counted.
    ['the boards that anyone sees', anyone, 21, 20 * 100 + 1000 + 60],
    ['those of an account, with its six private ones', ada, 21, 20 * 100 + 1000 + 90],
    // 20 of its boards have 200 private results each, beside the public ones.
    ['those of the account that has the others', eve, 21, 21 * 200 + 20 * 100 + 1000 + 110],
  ])('%s are counted from no row that is hidden', async (_what, viewer, count, most) => {
    const given = { ...viewer, ...page, q: null, afterTask: '', afterFingerprint: '' }
    for (const plan of await plansOf(t.db, boardsPage.text, orderedValues(boardsPage, given))) {
      expect(Number(plan[0]?.['Actual Rows'])).toBe(count)
      expect(scansOf(plan, 'rollouts')).toEqual([])
      expect(rowsOf(plan, 'rollouts')).toBeLessThanOrEqual(most)
    }
  })

  it.each([
    ['anyone', anyone],
    ['an account with a private one', ada],
    ['the account that has the others', eve],
  ])('a page of entries for %s reads about as many rows as it shows', async (_what, viewer) => {
    const given = { ...viewer, ...page, fingerprint, afterLowest: 2, afterName: '', afterId: '' }
    for (const plan of await plansOf(t.db, entriesPage.text, orderedValues(entriesPage, given))) {
      expect(Number(plan[0]?.['Actual Rows'])).toBe(21)
      expect(scansOf(plan, 'rollouts')).toEqual([])
      // The index by the lowest rate, a look for a newer result of each, and what ends the last group of equals.
      expect(rowsOf(plan, 'rollouts')).toBeLessThan(60)
      expect(rowsOf(plan, 'repos')).toBeLessThan(120)
    }
  })
})

it('a board tells as many results as are counted, and its newest one whatever their number', async () => {
  const given = { ...anyone, ...page, q: null, afterTask: '', afterFingerprint: '' }
  const [first, second] = await t.db.query(boardsPage, given)
  expect(first).toMatchObject({ task: 'a-large', results: 1000, latestAt: '2026-01-04T11:20:00.000Z' })
  expect(second?.results).toBe(PUBLIC / BOARDS)
})

it('a result has the owner of its model and who sees it, and follows both', async () => {
  const of = () =>
    t.db.query({
      name: '',
      text: `select model_owner_id as owner, model_is_public as public from rollouts where model_repo_id = 'repo_7000'`,
    })
  expect(await of()).toEqual([{ owner: 'user_1', public: true }])
  await t.db.query({
    name: '',
    text: `update repos set visibility = 'private', owner_id = 'user_2' where id = 'repo_7000'`,
  })
  expect(await of()).toEqual([{ owner: 'user_2', public: false }])
})
