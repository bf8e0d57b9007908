/** The audit log among 60,000 entries of an account: each filter, and what people did lately, read about what they show. */
import { firstIdAt } from '@hub/formats/ids'
import { graphql } from 'graphql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'
import { testDb } from '../support/database.ts'
import { passedOver, plansOf, scansOf } from '../support/plans.ts'
import { prismaQueries } from '../support/prisma-queries.ts'
import { makeWorld, type World } from '../support/world.ts'

const t = testDb()
const MANY = 60_000
const FIRST = 20
const began = Date.parse('2026-01-01T00:00:00.000Z')
let world: World
let owner: Awaited<ReturnType<World['user']>>
let rare: Awaited<ReturnType<World['user']>>

/** One entry a minute. One in 10,000 is of a rare action, one of a rare actor, one of a rare target. */
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  owner = await world.user()
  rare = await world.user()
  const ids = Array.from({ length: MANY }, (_, n) => firstIdAt('aud', began + n * 60_000))
  await t.db.withTx(async (tx) => {
    await tx.query({ name: '', text: 'set local session_replication_role = replica' })
    await tx.query(
      {
        name: '',
        text: `insert into audit_log (id, at, account_id, action, actor_id, target_id)
          select i, to_timestamp($2::float8 + n * 60), $3, case when n % 10000 = 1 then 'repo.delete' else 'run.claim' end,
            case when n % 10000 = 2 then $4 else $3 end, case when n % 10000 = 3 then 'repo_rare' when n % 3 = 0 then 'run_common' else 'run_' || n / 20 end
          from unnest($1::text[]) with ordinality as given(i, n)`,
      },
      [ids, began / 1000, owner.id, rare.id],
    )
  })
  // All rows are looked at: of half of them, one time in sixty none is the rare actor's, and the plan is of that.
  await world.sql('alter table audit_log alter column actor_id set statistics 1000')
  await world.sql('vacuum analyze audit_log')
})
afterAll(() => world?.close())

const FILTERS = [
  ['action', () => 'action: "repo.delete"'],
  ['actor', () => `actor: "${rare.handle}"`],
  ['target', () => 'targetId: "repo_rare"'],
  ['a common target', () => 'targetId: "run_common"'],
  ['action and time', () => 'action: "run.claim", from: "2026-01-20T00:00:00.000Z", to: "2026-01-21T00:00:00.000Z"'],
  ['time', () => 'from: "2026-01-10T00:00:00.000Z", to: "2026-01-11T00:00:00.000Z"'],
] as const

it.each(FILTERS)('by %s', async (_, filter) => {
  const source = `{ auditLog(account: "${owner.handle}", first: ${FIRST}, ${filter()}) { nodes { id } } }`
  const sent = await prismaQueries(async () => {
    const { data, errors } = await graphql({ schema, source, contextValue: world.as(owner) })
    expect(errors).toBeUndefined()
    expect(JSON.parse(JSON.stringify(data)).auditLog.nodes.length).toBeGreaterThan(3)
  })
  const [query] = sent.filter(({ table }) => table === 'audit_log')
  if (!query) throw new Error('Nothing was asked.')
  for (const plan of await plansOf(t.db, query.text, query.values)) {
    expect(scansOf(plan, 'audit_log')).toEqual([])
    expect(passedOver(plan, 'audit_log')).toBeLessThan(100)
    expect(Math.max(...plan.map((node) => node['Actual Rows']))).toBeLessThanOrEqual(100)
  }
})
