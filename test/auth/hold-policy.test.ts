/** Who sees a spend hold: the rule in code and the same in SQL. Spec, "listSpendHolds". */

import { newId } from '@hub/formats/ids'
import { beforeAll, describe, expect, it } from 'vitest'
import { assertCancels, assertDecides, canSeeHold } from '../../src/auth/hold-policy.ts'
import { getHoldsById } from '../../src/billing/holds/get-hold.ts'
import { listHolds } from '../../src/billing/holds/list-holds.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { HubError } from '../../src/platform/errors.ts'
import { testDb } from '../support/database.ts'
import { makeWorld, type World } from '../support/world.ts'

const t = testDb()
let world: World
const holds: { id: string; accountId: string; filedBy: string; createdBy: string | null }[] = []
let callers: Record<string, { ctx: RequestContext; sees: number[]; decides: number[]; cancels: number[] }>

beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  const [ada, eve] = [await world.user(), await world.user()]
  const org = await world.org([ada, eve])
  const file = async (accountId: string, filedBy: string, createdBy: string | null) => {
    const id = newId('spend')
    await world.sql(
      `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, created_by, request, summary, estimate_usd, reserve_usd, allowance_usd, expires_at)
        values ($1, 'pending', 'run', $2, $3, 'x', $4, '{}', 'x', 1, 1, 0, now() + interval '1 day')`,
      [id, accountId, filedBy, createdBy],
    )
    holds.push({ id, accountId, filedBy, createdBy })
  }
  await file(ada.id, 'key_ada', ada.id)
  await file(org.id, 'key_eve', eve.id)
  await file(org.id, 'key_org', null)
  await file(eve.id, 'key_eve', eve.id)
  const inOrg = { accountIds: [ada.id, org.id] }
  const key = { kind: 'key', credentialId: 'key_ada' } as const
  callers = {
    nobody: { ctx: world.anonymous(), sees: [], decides: [], cancels: [] },
    'a session of a member': { ctx: world.as(ada, inOrg), sees: [0, 1, 2], decides: [0, 1, 2], cancels: [0, 1, 2] },
    'a session of who has left': { ctx: world.as(eve), sees: [1, 3], decides: [3], cancels: [3] },
    'a key of a member': { ctx: world.as(ada, { ...inOrg, ...key }), sees: [0, 1, 2], decides: [], cancels: [0] },
    'a read key': {
      ctx: world.as(ada, { ...inOrg, ...key, level: 'read' }),
      sees: [0, 1, 2],
      decides: [],
      cancels: [],
    },
    'a key of the org': {
      ctx: world.as(org, { kind: 'key', credentialId: 'key_org' }),
      sees: [1, 2],
      decides: [],
      cancels: [2],
    },
    'a key limited to repos': {
      ctx: world.as(ada, { ...inOrg, ...key, repoIds: ['repo_x'] }),
      sees: [0],
      decides: [],
      cancels: [0],
    },
    'the key of a hosted job': {
      ctx: world.as(ada, { ...inOrg, ...key, repoIds: [], job: { jobId: 'run_x', repoIds: [], operations: null } }),
      sees: [],
      decides: [],
      cancels: [],
    },
  }
  return () => world.close()
})

const allowed = (work: () => unknown) => {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof HubError && [401, 403].includes(error.status)) return false
    throw error
  }
}

describe('spend holds', () => {
  it('are seen, decided and canceled by those that the table names, in code and in SQL', async () => {
    for (const [name, { ctx, sees, decides, cancels }] of Object.entries(callers)) {
      const seen = holds.map((hold) => canSeeHold(hold, ctx.viewer))
      const places = (flags: readonly boolean[]) => flags.flatMap((flag, place) => (flag ? [place] : []))
      const read = await getHoldsById(
        t.db,
        ctx.viewer,
        holds.map(({ id }) => id),
      )
      const listed = (await listHolds(ctx, {})).nodes.map(({ id }) => holds.findIndex((hold) => hold.id === id))
      const visible = holds.filter((_hold, place) => seen[place])
      const may = (assertMay: typeof assertCancels) =>
        visible.filter((hold) => allowed(() => assertMay(ctx.viewer, hold))).map((hold) => holds.indexOf(hold))
      expect([
        name,
        places(seen),
        places(read.map((hold) => hold !== null)),
        listed.toReversed(),
        may(assertDecides),
        may(assertCancels),
      ]).toEqual([name, sees, sees, sees, decides, cancels])
    }
  })
})
