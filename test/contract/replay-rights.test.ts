// @module-tag sampled
/**
 * A replay under an Idempotency-Key checks the caller's rights again: the cases of each POST of the route table, and each way to lose a right. A route without cases
 * fails here.
 */

import { sampled } from '@hub/testing/torture'
import { beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../rest-compat/routes.ts'
import { allCases, casesOf } from '../support/cases.ts'
import type { Replay, Team } from '../support/define-cases.ts'
import { type Answer, contractHub, newName, type Person, types } from '../support/hub.ts'
import { newTeam } from '../support/team.ts'

const hub = contractHub()
let boss: Person

beforeAll(async () => {
  boss = await hub.person()
})

const recipe = { template: 'act' }
const keyIdOf = (token: string) => `(select id from api_keys where token_sha256 = sha256('${token}'))`

const posts = routes.filter(({ method }) => method === 'POST').map(({ operation }) => operation)
const rows = posts.flatMap((operation) => {
  const replay = allCases[operation]?.replay
  return replay ? [[operation, replay] as const] : []
})

/** Ways to lose a right, and what a replay then is. */
const losses = {
  'the member has left the org': {
    lose: ({ org, member }: Team) =>
      hub.sql(`delete from memberships where user_id = $1 and org_id = (select id from accounts where handle = $2)`, [
        member.id,
        org,
      ]),
    expected: (row: Replay) => row.left,
  },
  'the key is limited to other repos': {
    lose: ({ key }: Team) => hub.sql(`update api_keys set limited = true, repo_ids = '{}' where id = ${keyIdOf(key)}`),
    expected: (row: Replay) => row.limited,
  },
  'the key has the scope read': {
    lose: ({ key }: Team) => hub.sql(`update api_keys set scope = 'read' where id = ${keyIdOf(key)}`),
    expected: (row: Replay) => row.lowered ?? 403,
  },
  'the key is revoked': {
    lose: ({ key }: Team) => hub.sql(`update api_keys set revoked_at = now() where id = ${keyIdOf(key)}`),
    expected: (row: Replay) => (row.bySession ? 200 : 401),
  },
}

const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed')

describe('a replay', () => {
  it('checks the current rights for every POST: each route has a row here', () => {
    // Null says that the answer is a secret, which is never stored: a repeat is a new request.
    expect(posts.filter((operation) => casesOf(operation).replay === undefined)).toEqual([])
  })

  describe.each(Object.entries(losses))('after %s', (_loss, { lose, expected }) => {
    it.each(sampled(rows, 6))('of %s has the result of the current rights', async (_operation, row) => {
      const team = await newTeam(hub, boss)
      const { path, body } = await row.given(team)
      const once = { 'idempotency-key': newName() }
      const who = row.bySession ? team.member : team.key
      const first = await hub.call(who, 'POST', path, body, once)
      expect([first.status, first.json.errors]).toEqual([expect.any(Number), undefined])
      const again = await hub.call(who, 'POST', path, body, once)
      expect([again.status < 300, replayed(again)]).toEqual([true, 'true'])
      await lose(team)
      const later = await hub.call(who, 'POST', path, body, once)
      expect(later.status).toBe(expected(row))
      if (later.status < 400) return
      expect([replayed(later), later.text.includes('http://')]).toEqual([null, false])
    })
  })

  it('of a stored error also checks access: its details are hidden from a member who has left', async () => {
    const team = await newTeam(hub, boss)
    const run = (await team.post(boss, '/v1/runs', { recipe, owner: team.org })).id
    await hub.call(boss, 'POST', `/v1/runs/${run}/claim`, { worker: 'secret box' })
    const once = { 'idempotency-key': newName() }
    const claim = () => hub.call(team.key, 'POST', `/v1/runs/${run}/claim`, { worker: 'w' }, once)
    expect(types(await claim())).toEqual(['conflict.already_claimed'])
    expect(replayed(await claim())).toBe('true')
    await losses['the member has left the org'].lose(team)
    const later = await claim()
    expect([later.status, later.text.includes('secret box'), replayed(later)]).toEqual([404, false, null])
  })

  it('of a stored authorization error checks again: a caller who has gained access may proceed', async () => {
    const stranger = await hub.person()
    const { org } = await newTeam(hub, boss)
    const once = { 'idempotency-key': newName() }
    const make = () => hub.call(stranger, 'POST', '/v1/runs', { recipe, owner: org }, once)
    expect((await make()).status).toBe(403)
    await hub.sql(
      `insert into memberships (org_id, user_id, role) select id, $1, 'member' from accounts where handle = $2`,
      [stranger.id, org],
    )
    const made = await make()
    expect([made.status, replayed(made)]).toEqual([201, null])
  })
})
