/** Contract, "The operator": who they are, and what they do with users. */
import { describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, type Who } from '../../support/hub.ts'
import { cookieOf, PASSWORD, passwords } from '../../support/passwords.ts'
import { statementsOf } from '../../support/request-statements.ts'
import { keysOfJobs } from '../support/keys-of-jobs.ts'

const hub = contractHub({}, { alone: true })
const { person, post, signIn, isValid } = passwords(hub)

const operator = () => hub.running.operatorToken ?? ''
const typeOf = ({ errors }: Json) => errors?.[0]?.extensions.problem.type.split('/').at(-1)
const disable = (who: Who, user: string) =>
  hub.graphql(
    who,
    'mutation ($input: DisableUserInput!) { disableUser(input: $input) { user { account { handle } disabledAt } } }',
    { input: { user } },
  )
const enable = (who: Who, user: string) =>
  hub.graphql(who, 'mutation ($input: EnableUserInput!) { enableUser(input: $input) { user { disabledAt } } }', {
    input: { user },
  })
const reset = (who: Who, user: string) =>
  hub.graphql(who, 'mutation ($input: CreateResetLinkInput!) { createResetLink(input: $input) { path } }', {
    input: { user },
  })
const users = (who: Who, variables: Json = {}) =>
  hub.graphql(
    who,
    `query ($q: String, $first: Int, $after: String) { users(q: $q, first: $first, after: $after) {
      nodes { account { handle } lastSignInAt hasPassword hasIdentity disabledAt } pageInfo { hasNextPage endCursor } } }`,
    variables,
  )
const problemOf = async (token: string) => (await hub.call(token, 'GET', '/v1/me')).json.type?.split('/').at(-1)
const actions = async ({ id }: Person) =>
  (await hub.sql<Json>('select action from audit_log where account_id = $1 order by id', [id])).map(
    ({ action }) => action,
  )

describe('the operator', () => {
  it('is the session of one account: others are 403, and so is a key of it', async () => {
    const ada = await hub.person()
    const key = await hub.key(hub.running.deps.config.operatorHandle, { scope: 'train' })
    const asked = [disable, enable, reset].map((ask) => (who: Who) => ask(who, ada.handle))
    for (const ask of [...asked, users]) {
      expect([typeOf(await ask(null)), typeOf(await ask(ada)), typeOf(await ask(key))]).toEqual([
        'auth.missing',
        'forbidden.scope',
        'forbidden.scope',
      ])
    }
    const isOperator = async (who: Who) => (await hub.graphql(who, '{ viewer { isOperator } }')).data.viewer.isOperator
    expect([await isOperator(operator()), await isOperator(ada), await isOperator(key)]).toEqual([true, false, false])
    expect(await isValid(ada.token)).toBe(true)
  })

  it('needs a sign-in of the last 15 minutes to change users, and none to look', async () => {
    const [ada, boss] = [await hub.person(), hub.running.deps.config.operatorHandle]
    const old = async (seconds: number) =>
      hub.sql(
        `update sessions set signed_in_at = now() - make_interval(secs => $2) where account_id = (
          select id from accounts where handle = $1)`,
        [boss, seconds],
      )
    await old(901)
    for (const ask of [disable, enable, reset])
      expect(typeOf(await ask(operator(), ada.handle))).toBe('forbidden.old_sign_in')
    expect((await users(operator())).errors).toBeUndefined()
    await old(0)
  })

  it('cannot be disabled, by nobody', async () => {
    const boss = hub.running.deps.config.operatorHandle
    expect(typeOf(await disable(operator(), boss))).toBe('conflict.operator')
    expect(await isValid(operator())).toBe(true)
  })
})

describe('a user who is disabled', () => {
  it('is out at once with sessions and keys, is told why, and is in again with the keys', async () => {
    const ada = await person()
    const own = await hub.key(ada, { scope: 'train' })
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    const bob = await hub.person()
    const ofOrg = await hub.key(org, { scope: 'train' })
    const byAda = await hub.graphql(
      ada,
      'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token } }',
      { input: { owner: org, name: 'x', scope: 'WRITE' } },
    )
    const made = byAda.data.createApiKey.token
    expect((await disable(operator(), ada.handle)).data.disableUser.user.disabledAt).toEqual(expect.any(String))
    for (const token of [ada.token, own, made]) expect(await problemOf(token)).toBe('auth.disabled')
    expect([await isValid(ofOrg), await isValid(bob.token)]).toEqual([true, true])
    const refused = await signIn(ada.handle, PASSWORD)
    expect([refused.status, refused.json.type.split('/').at(-1)]).toEqual([401, 'auth.disabled'])
    expect((await signIn(ada.handle, 'a wrong password it is')).json.type).toMatch(/auth\.invalid$/)

    await enable(operator(), ada.handle)
    expect([await isValid(own), await isValid(made), await isValid(ada.token)]).toEqual([true, true, false])
    expect((await signIn(ada.handle, PASSWORD)).status).toBe(204)
    expect((await actions(ada)).filter((action) => action.startsWith('user.'))).toEqual([
      'user.create',
      'user.disable',
      'user.enable',
    ])
  })

  it('is out with the keys of runs of an org too; the call of a hosted job of the org goes on', async () => {
    const ada = await person()
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    const { key, call } = await keysOfJobs(hub, ada, org, await hub.key(ada, { scope: 'train' }))
    const { key: bySession } = await keysOfJobs(hub, ada, org)
    for (const token of [key, bySession, call]) expect(await isValid(token)).toBe(true)
    await disable(operator(), ada.handle)
    expect([await problemOf(key), await isValid(call)]).toEqual(['auth.disabled', true])
    await enable(operator(), ada.handle)
    // Keys are back, and sessions are not; what they asked for goes with them.
    expect([await isValid(key), await problemOf(bySession)]).toEqual([true, 'auth.invalid'])
  })

  it('has no session left that a racing sign-in opened, once they are enabled', async () => {
    const ada = await person()
    await disable(operator(), ada.handle)
    await hub.sql('update sessions set revoked_at = null where account_id = $1', [ada.id])
    expect(await problemOf(ada.token)).toBe('auth.disabled')
    await enable(operator(), ada.handle)
    expect(await problemOf(ada.token)).toBe('auth.invalid')
  })

  it('has no link left: neither one that resets, nor an invitation', async () => {
    const [ada, org] = [await person(), newName('org')]
    await hub.org([{ user: ada.handle, role: 'owner' }], org)
    const invited = await hub.graphql(
      ada,
      'mutation ($input: CreateInvitationInput!) { createInvitation(input: $input) { path } }',
      { input: { org } },
    )
    const paths = [invited.data.createInvitation.path, (await reset(operator(), ada.handle)).data.createResetLink.path]
    await disable(operator(), ada.handle)
    for (const path of paths) {
      const looked = await post('/auth/link/look', { token: path.replace('/redeem#', '') })
      expect([looked.status, looked.json.type.split('/').at(-1)]).toEqual([401, 'auth.link'])
    }
  })

  it('gets nowhere with a link that is made meanwhile, and it stays unused', async () => {
    const ada = await person()
    await disable(operator(), ada.handle)
    const token = (await reset(operator(), ada.handle)).data.createResetLink.path.replace('/redeem#', '')
    const body = { token, password: 'another horse, another battery' }
    expect((await post('/auth/link', body)).json.type).toMatch(/auth\.disabled$/)
    await enable(operator(), ada.handle)
    expect((await post('/auth/link', body)).status).toBe(204)
  })

  it('keeps nobody else from signing in at a browser that still has the cookie', async () => {
    const [ada, bob] = [await person(), await person()]
    await disable(operator(), ada.handle)
    const cookie = `hub_session=${ada.token}`
    const answer = await signIn(bob.handle, PASSWORD, { cookie })
    expect([answer.status, await isValid(cookieOf(answer, 'hub_session') ?? '')]).toEqual([204, true])
    const token = (await reset(operator(), bob.handle)).data.createResetLink.path.replace('/redeem#', '')
    const body = { token, password: 'another horse, another battery' }
    expect((await post('/auth/link', body, { cookie })).status).toBe(204)
  })

  it('brings nobody into an org by an invitation that raced with the disabling', async () => {
    const [ada, org] = [await person(), newName('org')]
    await hub.org([{ user: ada.handle, role: 'owner' }], org)
    const invited = await hub.graphql(
      ada,
      'mutation ($input: CreateInvitationInput!) { createInvitation(input: $input) { path } }',
      { input: { org } },
    )
    await disable(operator(), ada.handle)
    await hub.sql('update link_tokens set ended_at = null where created_by = $1', [ada.id])
    const token = invited.data.createInvitation.path.replace('/redeem#', '')
    const body = { token, handle: newName('back'), password: PASSWORD }
    expect((await post('/auth/link', body)).status).toBe(403)
    await enable(operator(), ada.handle)
    expect((await post('/auth/link', body)).status).toBe(204)
  })

  it('can sign out of a browser that still has the cookie', async () => {
    const ada = await hub.person()
    await disable(operator(), ada.handle)
    const left = await post('/auth/logout', {}, { cookie: `hub_session=${ada.token}` })
    expect([left.status, left.headers.getSetCookie()[0]]).toEqual([204, expect.stringContaining('Max-Age=0')])
  })

  it('is disabled once, however often and by how many it is asked', async () => {
    const ada = await hub.person()
    const answers = await Promise.all([1, 2, 3].map(() => disable(operator(), ada.handle)))
    expect(new Set(answers.map(({ data }) => data.disableUser.user.disabledAt)).size).toBe(1)
    expect((await actions(ada)).filter((action) => action === 'user.disable')).toHaveLength(1)
    expect(typeOf(await disable(operator(), newName('nobody')))).toBe('not_found')
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    expect(typeOf(await disable(operator(), org))).toBe('not_found')
  })
})

describe('users', () => {
  it('are listed by handle, page by page, with how they sign in, in one statement', async () => {
    const prefix = newName('q')
    const made: Person[] = []
    for (const end of ['a', 'b', 'c']) made.push(await hub.person(`${prefix}-${end}`))
    await hub.org([{ user: made[0]?.handle ?? '', role: 'owner' }], `${prefix}-bb`)
    await hub.sql(`insert into identities (issuer, subject, account_id) values ('https://idp', $1, $2)`, [
      prefix,
      made[1]?.id,
    ])
    await hub.sql('delete from sessions where account_id = $1', [made[2]?.id])
    const first = (await users(operator(), { q: `@${prefix.toUpperCase()}`, first: 2 })).data.users
    expect(first.nodes.map(({ account, hasIdentity }) => [account.handle, hasIdentity])).toEqual([
      [`${prefix}-a`, false],
      [`${prefix}-b`, true],
    ])
    const { endCursor: after } = first.pageInfo
    const rest = (await users(operator(), { q: `@${prefix.toUpperCase()}`, first: 2, after })).data.users
    expect([rest.nodes.map(({ account }) => account.handle), rest.nodes[0]?.lastSignInAt]).toEqual([
      [`${prefix}-c`],
      null,
    ])
    expect(first.nodes[0]?.lastSignInAt).toEqual(expect.any(String))
    expect(typeOf(await users(operator(), { q: 'other', after }))).toBe('validation.cursor')
    for (const first of [1, 100])
      expect(await statementsOf(hub.running.deps.db, () => users(operator(), { first }))).toBe(2)
  })

  it('are found by whatever is typed, without a fault', async () => {
    for (const q of ['%', '_', '~', 'é', "'", ' ', '\u{1f600}']) {
      const { errors, data } = await users(operator(), { q })
      expect([q, errors, data.users.nodes.length > 0]).toEqual([q, undefined, q === ' '])
    }
  })
})
