/** What a page of fits reads of a large hub: what it shows, and not what there is. */
import { beforeAll, describe, expect, it } from 'vitest'
import { fitsPage } from '../../src/fits/fit-rows.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { plansOf } from '../support/plans.ts'

const t = testDb()
/** Of each of the two bodies that many repos have: one fits, the other does not. */
const MANY = 4000
const BODIES = 300
const print = (n: number) => n.toString(16).padStart(64, '0')

beforeAll(async () => {
  const body = `'{"joints":[{"name":"a"}],"rateHz":null,"base":null,"action":null,"cameras":[]}'`
  const hex = (n: string) => `lpad(to_hex(${n}), 64, '0')`
  for (const text of [
    `insert into accounts (id, kind, handle) values ('user_1', 'user', 'eve')`,
    `insert into repos (id, owner_id, slug, kind, visibility)
      select 'repo_' || lpad(n::text, 26, '0'), 'user_1', 'repo-' || n, (case n when 0 then 'robot' else 'model' end)::"RepoKind", 'public'
      from generate_series(0, ${2 * MANY + BODIES}) n`,
    `insert into bodies (is_robot, fingerprint, joints_key, body)
      select n = 0, ${hex('n')}, repeat('a', 64), ${body} from generate_series(0, ${BODIES + 2}) n`,
    `insert into repo_bodies (repo_id, kind, owner_id, is_public, is_robot, fingerprint, path, seq)
      select 'repo_' || lpad(n::text, 26, '0'), (case n when 0 then 'robot' else 'model' end)::"RepoKind", 'user_1', true, n = 0,
        ${hex(`(case when n = 0 then 0 when n <= ${MANY} then 1 when n <= ${2 * MANY} then 2 else n - ${2 * MANY} + 2 end)::int`)},
        case when n > 0 then 'contract.json' end, case when n > 0 then 1 end
      from generate_series(0, ${2 * MANY + BODIES}) n`,
    `insert into body_fits (robot_fingerprint, source_fingerprint, verdict)
      select ${hex('0')}, ${hex('n')}, (case n when 2 then 'none' else 'as_is' end)::"FitVerdict"
      from generate_series(1, ${BODIES + 2}) n`,
    'vacuum analyze repos, bodies, repo_bodies, body_fits, joint_maps',
  ])
    await t.db.query({ name: '', text })
})

const rest = { accountIds: [], repoIds: null, kind: null, near: false, place: 0, keptAfter: '', limit: 21 }
const first = { verdict: 'as_is' as const, print: '', after: '' }
const repo = (n: number) => `repo_${String(n).padStart(26, '0')}`

describe(`of ${2 * MANY} repos with two bodies, and one of each of ${BODIES} others`, () => {
  it.each([
    ['the first page of what runs on a robot', { ids: [repo(0)], ...rest, ...first }, 21],
    [
      'one within the body of many',
      { ids: [repo(0)], ...rest, place: 1, verdict: 'as_is' as const, print: print(1), after: repo(MANY - 100) },
      21,
    ],
    [
      'one among the bodies of one repo each',
      { ids: [repo(0)], ...rest, place: 1, verdict: 'as_is' as const, print: print(200), after: repo(2 * MANY + 198) },
      21,
    ],
    ['what comes near', { ids: [repo(0)], ...rest, ...first, near: true }, 21],
    ['the robots of a model', { ids: [repo(7)], ...rest, ...first }, 1],
  ])('%s reads a fraction', async (_what, given, count) => {
    const [plan = []] = await plansOf(t.db, fitsPage.text, orderedValues(fitsPage, given))
    expect(Number(plan[0]?.['Actual Rows'])).toBe(count)
    const read = plan.map(
      (node) => node['Actual Loops'] * (Number(node['Actual Rows']) + (node['Rows Removed by Filter'] ?? 0)),
    )
    expect(Math.max(...read)).toBeLessThan(MANY / 4)
  })
})
