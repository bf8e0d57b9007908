/** Contract, "Signing in from a browser": the sessions of a person, and how they end them. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person, type Who } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})

const end = (who: Who, id: string) =>
  hub.graphql(who, 'mutation ($id: ID!) { endSession(input: { id: $id }) { session { id current revokedAt } } }', {
    id,
  })
const endOthers = (who: Who, keep: string) =>
  hub.graphql(who, 'mutation ($keep: ID!) { endOtherSessions(input: { keep: $keep }) { ended } }', { keep })
const currentOf = async (who: Who): Promise<string> => {
  const { data } = await hub.graphql(who, '{ sessions { nodes { id current } } }')
  return data.sessions.nodes.find(({ current }) => current)?.id ?? ''
}
const isValid = async (token: string) => (await hub.call(token, 'GET', '/v1/me')).status === 200
const typeOf = ({ errors }: Json) => errors?.[0]?.extensions.problem.errors[0].type
const audited = (id: string) =>
  hub.sql<Json>('select action, after from audit_log where target_id = $1 and action <> $2 order by id', [
    id,
    'session.create',
  ])

describe('a person', () => {
  it('ends one of their sessions, once for all: its token is refused, the others stay', async () => {
    const [lost, kept] = [await hub.signIn(ada), await hub.signIn(ada)]
    const { data } = await end(ada, lost.id)
    expect(data.endSession.session).toEqual({ id: lost.id, current: false, revokedAt: expect.any(String) })
    expect([await isValid(lost.token), await isValid(kept.token), await isValid(ada.token)]).toEqual([
      false,
      true,
      true,
    ])
    expect((await end(ada, lost.id)).data.endSession.session).toEqual(data.endSession.session)
    expect(await audited(lost.id)).toEqual([{ action: 'session.revoke', after: {} }])
  })

  it('ends the session of the request too', async () => {
    const own = await hub.signIn(ada)
    expect((await end(own.token, own.id)).data.endSession.session.current).toBe(true)
    expect(await isValid(own.token)).toBe(false)
  })

  it('ends all sessions but one, and those of nobody else', async () => {
    const [bob, carol] = [await hub.person(), await hub.person()]
    const others = [await hub.signIn(bob), await hub.signIn(bob)]
    const keep = await currentOf(bob)
    expect((await endOthers(bob, keep)).data.endOtherSessions).toEqual({ ended: 2 })
    expect((await endOthers(bob, keep)).data.endOtherSessions).toEqual({ ended: 0 })
    expect(await Promise.all([bob, carol, ...others].map(({ token }) => isValid(token)))).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(await audited(keep)).toEqual([{ action: 'session.revoke_others', after: { ended: 2 } }])
  })

  it('of two browsers that end all others at the same time, keeps one of them or none, and no request fails', async () => {
    const dan = await hub.person()
    const [a, b] = [await hub.signIn(dan), await hub.signIn(dan)]
    const answers = await Promise.all([endOthers(a.token, a.id), endOthers(b.token, b.id)])
    for (const { errors } of answers) expect([undefined, 'auth.invalid']).toContain(typeOf({ errors }))
    expect(await isValid(dan.token)).toBe(false)
    expect([await isValid(a.token), await isValid(b.token)].filter(Boolean).length).toBeLessThan(2)
  })
})

describe('the sessions of a person', () => {
  it('are ended by no one else: 404 for another person, 403 for a key, 401 for the anonymous', async () => {
    const bob = await hub.person()
    const own = await currentOf(ada)
    const key = await hub.key(ada)
    for (const [who, type] of [
      [bob, 'not_found'],
      [key, 'forbidden.scope'],
      [null, 'auth.missing'],
    ] as const)
      expect([type, typeOf(await end(who, own)), typeOf(await endOthers(who, own))]).toEqual([type, type, type])
    expect(typeOf(await end(ada, 'sess_unknown'))).toBe('not_found')
    expect(await isValid(ada.token)).toBe(true)
  })
})

describe('the identity provider', () => {
  it('is null for a hub that has none, for every caller', async () => {
    for (const who of [null, ada])
      expect((await hub.graphql(who, '{ identityProvider { issuer name } }')).data).toEqual({ identityProvider: null })
  })
})
