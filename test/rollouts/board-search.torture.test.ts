/** A search of boards: what a page reads does not grow with results, all pages together find everything. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { BOARDS_LOOKED_AT, boardsOfRepos, boardsPage } from '../../src/rollouts/boards.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { passedOver, plansOf, scansOf } from '../support/plans.ts'
import { makeWorld } from '../support/world.ts'

const t = testDb()
/** Tasks with a result each, of public models and of ada's private ones, which are twice as many. */
const TASKS = 2 * BOARDS_LOOKED_AT + 500
/** Results and disturbances of one task. */
const LARGE = 4000
const robot = 'repo_robot'
const hex = (n: string) => `lpad(to_hex(${n}), 64, '0')`
let ada: AccountRef
let anyone: RequestContext
let owner: RequestContext

const insert = (id: string, model: string, task: string, fingerprint: string, count: number) =>
  `insert into rollouts (id, model_repo_id, model_seq, model_commit, policy_path, policy_digest, robot_repo_id,
      robot_seq, robot_commit, task, conditions, fingerprint, first_seed, seeds, successes, lowest, highest,
      mean_return, mean_seconds, software, key, by_agent)
    select '${id}' || n, ${model}, 1, repeat('a', 40), 'p.onnx', repeat('b', 64), '${robot}', 1, repeat('c', 40),
      ${task}, '{"task":{"name":"x"},"disturbance":{}}', ${fingerprint}, n, 100, 87, 0.8, 0.9, 1, 2, '{}',
      encode(sha256('${id}'::bytea || n::text::bytea), 'hex'), false from generate_series(1, ${count}) n`

beforeAll(async () => {
  const world = await makeWorld({ db: t.db })
  const eve = await world.user()
  ada = await world.user()
  owner = world.as(ada)
  anyone = world.as(eve)
  await world.sql(
    `insert into repos (id, owner_id, slug, kind, visibility) values ('${robot}', $1, 'arm', 'robot', 'public'),
      ('repo_public', $1, 'p', 'model', 'public'), ('repo_private', $1, 'q', 'model', 'private')`,
    [ada.id],
  )
  // Two of the public tasks and three of the private ones have the word.
  const named = (of: string) => `'task ' || lpad(n::text, 6, '0') || case when n in (${of}) then ' PICK' else '' end`
  await world.sql(insert('roll_a', "'repo_public'", named(`7, ${TASKS - 3}`), hex('n'), TASKS))
  await world.sql(
    insert(
      'roll_b',
      "'repo_private'",
      named(`7, 8, ${2 * TASKS - 1}`),
      hex(`n + case when n = 7 then 0 else 1 end`),
      2 * TASKS,
    ),
  )
  await world.sql(insert('roll_c', "'repo_public'", "'a large one'", hex(`n % 2000 + 9000`), LARGE))
  await world.sql('vacuum analyze repos, rollouts, accounts')
})

/** The tasks of all pages, and how many pages there were. */
async function search(ctx: RequestContext, q: string, limit: number) {
  const tasks: string[] = []
  for (let after: string | null = null, pages = 1; ; pages += 1) {
    const [page] = await boardsOfRepos(ctx, [robot], { q, limit, after })
    if (!page) throw new Error('There is no page.')
    expect(page.nodes.length).toBeLessThanOrEqual(limit)
    tasks.push(...page.nodes.map(({ task, results }) => `${task.slice(5)} ${results}`))
    if (!page.hasNextPage) return { tasks, pages }
    const last = page.nodes.at(-1)
    after = page.endsAfter ?? (last ? page.cursorOf(last) : null)
  }
}

describe('a search of boards', () => {
  const publicOnes = ['000007 PICK 1', `00${TASKS - 3} PICK 1`]

  it('finds in all pages together what there is, each once and in order', async () => {
    expect((await search(anyone, 'pick', 20)).tasks).toEqual(publicOnes)
    expect((await search(anyone, 'pick', 1)).tasks).toEqual(publicOnes)
    const all = ['000007 PICK 2', '000008 PICK 1', publicOnes[1], `00${2 * TASKS - 1} PICK 1`]
    expect((await search(owner, 'pick', 20)).tasks).toEqual(all)
    expect((await search(owner, 'pick', 1)).tasks).toEqual(all)
    expect((await search(owner, 'no task has it', 20)).tasks).toEqual([])
    expect((await search(anyone, 'task', 100)).tasks).toHaveLength(TASKS)
    expect((await search(anyone, 'LARGE', 100)).tasks).toHaveLength(2000)
  })

  it('ends a page early where no board is found, and goes on', async () => {
    expect((await search(anyone, 'pick', 20)).pages).toBe(3)
    expect((await search(owner, 'none', 20)).pages).toBe(6)
  })

  it.each([
    ['no board', 'none'],
    ['a board among many', 'pick'],
  ])('that finds %s reads a bounded number of rows, whatever they are', async (_what, q) => {
    const viewer = { accountIds: [ada.id], repoIds: null }
    const given = { ...viewer, robotIds: [robot], q, afterTask: '', afterFingerprint: '', limit: 21 }
    for (const plan of await plansOf(t.db, boardsPage.text, orderedValues(boardsPage, given))) {
      expect(scansOf(plan, 'rollouts')).toEqual([])
      const rows = plan
        .filter((node) => node['Relation Name'] === 'rollouts')
        .reduce((sum, node) => sum + node['Actual Loops'] * Number(node['Actual Rows']), passedOver(plan, 'rollouts'))
      expect(rows).toBeLessThanOrEqual(2 * BOARDS_LOOKED_AT + 20)
    }
  })
})
