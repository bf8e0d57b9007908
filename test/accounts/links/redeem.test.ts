/** Contract, "Links that work once": what each kind does, and what those try who have an old one. */
import { beforeEach, describe, expect, it } from 'vitest'
import { addAccountLink } from '../../../src/accounts/links/account-links.ts'
import { addInvitation } from '../../../src/accounts/links/invite.ts'
import { noViewer } from '../../../src/operation/audit.ts'
import { contractHub, type Json, newName, type Person, type Who } from '../../support/hub.ts'
import { cookieOf, PASSWORD, passwords } from '../../support/passwords.ts'

const hub = contractHub({}, { alone: true })
const { person, post, signIn, set, forget, isValid } = passwords(hub)
beforeEach(() => forget())

const OTHER = 'another horse, another battery'
const tokenOf = (path: string) => path.replace('/redeem#', '')
const link = async (kind: 'setup' | 'reset', account: Pick<Person, 'id'>) => {
  const made = await hub.running.deps.db.withTx((tx) => addAccountLink(tx, noViewer, { kind, account }))
  return { ...made, token: tokenOf(made.path) }
}
const toHub = async () => {
  const made = await hub.running.deps.db.withTx((tx) =>
    addInvitation(tx, noViewer, { org: null, role: null, createdBy: null }),
  )
  return tokenOf(made.path)
}
const invite = (who: Who, input: Json) =>
  hub.graphql(
    who,
    'mutation ($input: CreateInvitationInput!) { createInvitation(input: $input) { id path expiresAt } }',
    { input },
  )
const invited = async (who: Who, input: Json) => tokenOf((await invite(who, input)).data.createInvitation?.path ?? '')
const typeOf = ({ errors }: Json) => errors?.[0]?.extensions.problem.type
const look = (token: string) => post('/auth/link/look', { token })
const redeem = (token: string, body: Json = {}, headers: Record<string, string> = {}) =>
  post('/auth/link', { token, password: OTHER, ...body }, headers)
const join = (token: string, who: Person) => post('/auth/link/join', { token }, { cookie: `hub_session=${who.token}` })
const rolesIn = (org: string) =>
  hub.sql<Json>(
    `select u.handle, m.role from memberships m join accounts u on u.id = m.user_id join accounts o on o.id = m.org_id
     where o.handle = $1 order by m.created_at, u.id`,
    [org],
  )
async function orgOf() {
  const owner = await hub.person()
  return { owner, org: await hub.org([{ user: owner.handle, role: 'owner' }]) }
}

describe('a link', () => {
  it('that resets is the only one, of two made at once too', async () => {
    const ada = await hub.person()
    const made = await Promise.all(Array.from({ length: 4 }, () => link('reset', ada)))
    const looked = await Promise.all(made.map(({ token }) => look(token)))
    expect(looked.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
  })

  it('is stored hashed, lives in the fragment, and is in no audit entry', async () => {
    const ada = await hub.person()
    const { id, path, token } = await link('setup', ada)
    expect(path).toMatch(/^\/redeem#[A-Za-z0-9_-]{43}$/)
    const [row] = await hub.sql<Json>('select row_to_json(l)::text as text from link_tokens l where id = $1', [id])
    expect(row.text).not.toContain(token)
    const told = JSON.stringify(await hub.sql('select * from audit_log where target_id = $1', [id]))
    expect([told.includes('password.setup_link'), told.includes(token)]).toEqual([true, false])
    expect((await look(token)).json).toEqual({
      kind: 'setup',
      handle: ada.handle,
      org: null,
      role: null,
      expiresAt: expect.any(String),
    })
  })

  it.each([
    ['setup', 1],
    ['reset', 1],
    ['invitation', 7 * 24],
  ])('of %s lasts %d hours', async (kind, hours) => {
    const ada = await hub.person()
    if (kind === 'invitation') await toHub()
    else await link(kind === 'setup' ? 'setup' : 'reset', ada)
    const [row] = await hub.sql<Json>(
      `select extract(epoch from expires_at - created_at)::float8 as seconds from link_tokens where kind = $1::"LinkKind"
       order by id desc limit 1`,
      [kind],
    )
    expect(Math.round(row.seconds)).toBe(hours * 3600)
  })

  it('is the same 401 when it is unknown, used, expired or withdrawn, to look and to redeem', async () => {
    const [ada, bob, eve] = [await hub.person(), await hub.person(), await orgOf()]
    const used = await link('reset', ada)
    expect((await redeem(used.token)).status).toBe(204)
    const expired = await link('reset', bob)
    await hub.sql('update link_tokens set expires_at = now() where id = $1', [expired.id])
    const made = (await invite(eve.owner, { org: eve.org })).data.createInvitation
    const withdrawn = await hub.graphql(
      eve.owner,
      'mutation ($id: ID!) { withdrawInvitation(input: { id: $id }) { id } }',
      { id: made?.id },
    )
    expect(withdrawn.data.withdrawInvitation).toEqual({ id: made?.id })
    const tokens = ['', 'x', used.token, expired.token, tokenOf(made?.path ?? ''), used.token.slice(1)]
    const told = []
    for (const token of tokens)
      for (const answer of [await look(token), await redeem(token, { handle: newName() })]) {
        const { request_id: _, instance: __, ...problem } = answer.json
        told.push({ status: answer.status, problem, cookies: answer.headers.getSetCookie() })
      }
    expect(told[0]).toMatchObject({ status: 401, problem: { type: '/problems/auth.link' }, cookies: [] })
    for (const one of told) expect(one).toEqual(told[0])
  })

  it('opened in two tabs works in one of them', async () => {
    const token = await toHub()
    const names = [newName('tab'), newName('tab')]
    const answers = await Promise.all(names.map((handle) => redeem(token, { handle })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 401])
    expect(await hub.sql('select 1 from accounts where handle = any($1)', [names])).toHaveLength(1)
  })

  it('is redeemed by no other site, and a session put into the browser before is not kept', async () => {
    const [ada, eve] = [await hub.person(), await hub.person()]
    const { token } = await link('setup', ada)
    for (const path of ['/auth/link', '/auth/link/look', '/auth/link/join'] as const)
      expect((await post(path, { token, password: OTHER }, { origin: 'https://elsewhere.test' })).status).toBe(403)
    const answer = await redeem(token, {}, { cookie: `hub_session=${eve.token}` })
    const session = cookieOf(answer, 'hub_session') ?? ''
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await hub.call(session, 'GET', '/v1/me')).json.account.handle).toBe(ada.handle)
  })

  it('still works after a password that is too weak or a handle that is taken', async () => {
    const token = await toHub()
    const ada = await hub.person()
    expect((await redeem(token, { handle: newName(), password: 'short' })).status).toBe(422)
    expect((await redeem(token, { handle: ada.handle })).status).toBe(409)
    expect((await redeem(token, { handle: 'Not A Handle' })).status).toBe(422)
    expect((await redeem(token)).status).toBe(422)
    expect((await redeem(token, { handle: newName() })).status).toBe(204)
  })
})

describe('a setup', () => {
  it('adds a password and ends no session; where there is one by then, it does nothing', async () => {
    const [ada, bob] = [await hub.person(), await hub.person()]
    const [first, late] = [await link('setup', ada), await link('setup', bob)]
    expect((await redeem(first.token, { handle: 'another-name' })).status).toBe(204)
    expect([await isValid(ada.token), (await signIn(ada.handle, OTHER)).status]).toEqual([true, 204])
    await set(bob, PASSWORD)
    expect((await redeem(late.token)).status).toBe(401)
    expect((await signIn(bob.handle, PASSWORD)).status).toBe(204)
  })
})

describe('a reset', () => {
  it('replaces the password, ends all sessions, and signs in', async () => {
    const ada = await person()
    const other = await hub.signIn(ada)
    const older = await link('reset', ada)
    const { token } = await link('reset', ada)
    expect((await look(older.token)).status).toBe(401)
    const answer = await redeem(token)
    expect(answer.status).toBe(204)
    expect([await isValid(ada.token), await isValid(other.token)]).toEqual([false, false])
    expect(await isValid(cookieOf(answer, 'hub_session') ?? '')).toBe(true)
    expect((await signIn(ada.handle, PASSWORD)).status).toBe(401)
    expect((await signIn(ada.handle, OTHER)).status).toBe(204)
    const [entry] = await hub.sql<Json>(
      `select after from audit_log where target_id = $1 and action = 'password.reset'`,
      [ada.id],
    )
    expect(entry.after).toEqual({ endedSessions: 2, removedPasskeys: 0 })
  })
})

describe('an invitation', () => {
  it('of an owner makes an account that is a member with the chosen role', async () => {
    const { owner, org } = await orgOf()
    const token = await invited(owner, { org, role: 'OWNER' })
    expect((await look(token)).json).toMatchObject({ kind: 'invitation', handle: null, org, role: 'owner' })
    const handle = newName('new')
    const answer = await redeem(token, { handle, name: 'Nora New' })
    expect(answer.status).toBe(204)
    const me = await hub.call(cookieOf(answer, 'hub_session') ?? '', 'GET', '/v1/me')
    expect(me.json.account).toMatchObject({ handle, name: 'Nora New' })
    expect(await rolesIn(org)).toEqual([
      { handle: owner.handle, role: 'owner' },
      { handle, role: 'owner' },
    ])
  })

  it('brings in a person who has an account, once; one who is in it already keeps their role and the link', async () => {
    const { owner, org } = await orgOf()
    const [bob, carol] = [await hub.person(), await hub.person()]
    const token = await invited(owner, { org })
    const again = await join(token, owner)
    expect([again.status, again.json.type]).toEqual([409, '/problems/conflict.taken'])
    expect((await join(token, bob)).status).toBe(204)
    expect((await join(token, carol)).status).toBe(401)
    expect(await rolesIn(org)).toEqual([
      { handle: owner.handle, role: 'owner' },
      { handle: bob.handle, role: 'member' },
    ])
    expect((await post('/auth/link/join', { token: await invited(owner, { org }) })).status).toBe(401)
  })

  it('is made by owners of the org alone, and to the hub alone by the account of the operator', async () => {
    const { owner, org } = await orgOf()
    const [member, eve] = [await hub.person(), await hub.person()]
    await hub.sql(
      `insert into memberships (org_id, user_id, role) select id, $2, 'member' from accounts where handle = $1`,
      [org, member.id],
    )
    const callers: Who[] = [member, eve, await hub.key(owner, { scope: 'train' }), await hub.key(org), null]
    const found = []
    for (const who of callers) found.push(typeOf(await invite(who, { org })))
    expect(found).toEqual([
      '/problems/forbidden.scope',
      '/problems/forbidden.scope',
      '/problems/forbidden.scope',
      '/problems/forbidden.scope',
      '/problems/auth.missing',
    ])
    expect(typeOf(await invite(owner, {}))).toBe('/problems/forbidden.scope')
    const [operator] = await hub.sql<{ id: string }>(`select id from accounts where handle = 'hub'`)
    const { token } = await hub.signIn({ id: operator?.id ?? '', handle: 'hub', token: '' })
    expect((await redeem(await invited(token, {}), { handle: newName() })).status).toBe(204)
  })

  it('of a person who is no longer an owner brings no one in', async () => {
    const { owner, org } = await orgOf()
    const token = await invited(owner, { org })
    await hub.sql(`update memberships set role = 'member' where user_id = $1`, [owner.id])
    const handle = newName()
    expect((await redeem(token, { handle })).status).toBe(403)
    expect(await hub.sql('select 1 from accounts where handle = $1', [handle])).toEqual([])
    expect(await rolesIn(org)).toEqual([{ handle: owner.handle, role: 'member' }])
  })

  it('is listed to owners while it waits, without its link; strangers see and withdraw nothing', async () => {
    const { owner, org } = await orgOf()
    const eve = await hub.person()
    const { data } = await invite(owner, { org })
    const id = data.createInvitation?.id
    const list = (who: Who) =>
      hub.graphql(who, 'query ($org: String) { invitations(org: $org) { nodes { id role } } }', { org })
    expect((await list(owner)).data.invitations?.nodes).toEqual([{ id, role: 'MEMBER' }])
    expect((await list(eve)).data.invitations?.nodes).toEqual([])
    const withdraw = (who: Who) =>
      hub.graphql(who, 'mutation ($id: ID!) { withdrawInvitation(input: { id: $id }) { id } }', { id })
    expect(typeOf(await withdraw(eve))).toBe('/problems/not_found')
    expect((await withdraw(owner)).data.withdrawInvitation).toEqual({ id })
    expect(typeOf(await withdraw(owner))).toBe('/problems/not_found')
    expect((await list(owner)).data.invitations?.nodes).toEqual([])
  })

  it('waits beside 99 others at most', async () => {
    const { owner, org } = await orgOf()
    for (let made = 0; made < 100; made++) expect((await invite(owner, { org })).errors).toBeUndefined()
    expect(typeOf(await invite(owner, { org }))).toBe('/problems/quota.invitations')
  })
})
