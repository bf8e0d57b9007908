import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, types } from '../support/hub.ts'

const hub = contractHub()
let ada: Person

beforeAll(async () => {
  ada = await hub.person()
})

const start = async (change: Record<string, unknown> = {}): Promise<Json> => {
  const answer = await hub.call(null, 'POST', '/v1/auth/device', { name: 'hub on bench-3', ...change })
  expect([answer.status, answer.json.errors]).toEqual([200, undefined])
  return answer.json
}
const poll = (deviceCode: string) => hub.call(null, 'POST', '/v1/auth/device/token', { device_code: deviceCode })
const decide = (who: Person | string | null, verb: 'approve' | 'deny', userCode: string) =>
  hub.graphql(
    who,
    `mutation ($input: ${verb === 'approve' ? 'Approve' : 'Deny'}DeviceLoginInput!) {
      ${verb}DeviceLogin(input: $input) { login { state name scope keyTtlSeconds address } } }`,
    { input: { userCode } },
  )
const codeOf = ({ errors }: Json) => errors?.[0]?.extensions.problem.type.split('/').at(-1)
const rowOf = async (userCode: string) => {
  const [row] = await hub.sql<{ state: string; keyId: string | null; deviceCode: Buffer; id: string }>(
    `select id, state::text, key_id as "keyId", device_code_sha256 as "deviceCode" from device_logins where user_code = $1`,
    [userCode.replace('-', '')],
  )
  if (!row) throw new Error('no row')
  return row
}
const age = (userCode: string, change: string) =>
  hub.sql(`update device_logins set ${change} where user_code = $1`, [userCode.replace('-', '')])

describe('a sign-in from a terminal', () => {
  it('starts with a code of unmistakable letters, keeps only the digest of its secret, and ends with a key of the person', async () => {
    const begun = await start({ scope: 'train', key_ttl_seconds: 86_400 })
    expect(begun).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${hub.running.url}/auth/device`,
      verification_uri_complete: `${hub.running.url}/auth/device?user_code=${begun.user_code}`,
      expires_in: 900,
      interval: 5,
    })
    const stored = await rowOf(begun.user_code)
    expect(stored.deviceCode).toHaveLength(32)
    expect(types(await poll(begun.device_code))).toEqual(['device_login.authorization_pending'])
    const typed = ` ${begun.user_code.toLowerCase().replace('-', ' ')} `
    expect((await decide(ada, 'approve', typed)).data.approveDeviceLogin.login).toEqual({
      state: 'APPROVED',
      name: 'hub on bench-3',
      scope: 'TRAIN',
      keyTtlSeconds: 86_400,
      address: expect.stringMatching(/127\.0\.0\.1|::1/),
    })
    const { status, json } = await poll(begun.device_code)
    expect([status, json.key]).toEqual([
      200,
      expect.objectContaining({
        name: 'hub on bench-3',
        scope: 'train',
        owner: expect.objectContaining({ id: ada.id }),
      }),
    ])
    expect(Date.parse(json.key.expires_at) - Date.parse(json.key.created_at)).toBeGreaterThan(86_300_000)
    const me = await hub.call(json.token, 'GET', '/v1/me')
    expect([me.json.account.handle, me.json.scope, me.json.credential_id]).toEqual([ada.handle, 'train', json.key.id])
    const audited = await hub.sql<{ action: string }>(
      'select action from audit_log where target_id in ($1, $2) and actor_id = $3 order by id',
      [stored.id, json.key.id, ada.id],
    )
    expect(audited.map(({ action }) => action)).toEqual(['device_login.approve', 'key.create'])
  })

  it('asks for the scope write and 90 days unless told otherwise', async () => {
    const { user_code: userCode } = await start()
    const { login } = (await decide(ada, 'approve', userCode)).data.approveDeviceLogin
    expect([login.scope, login.keyTtlSeconds]).toEqual(['WRITE', 7_776_000])
  })

  it.each([
    [{ name: '' }, 422],
    [{ name: 'x'.repeat(100) }, 200],
    [{ name: 'x'.repeat(101) }, 422],
    [{ scope: 'session' }, 422],
    [{ key_ttl_seconds: 3599 }, 422],
    [{ key_ttl_seconds: 3600 }, 200],
    [{ key_ttl_seconds: 366 * 86_400 }, 200],
    [{ key_ttl_seconds: 366 * 86_400 + 1 }, 422],
    [{ other: 1 }, 422],
  ])('with %j is %i', async (change, status) => {
    expect((await hub.call(null, 'POST', '/v1/auth/device', { name: 'x', ...change })).status).toBe(status)
  })

  it('gives its key once: the second poll says which key went where', async () => {
    const begun = await start()
    await decide(ada, 'approve', begun.user_code)
    const first = await poll(begun.device_code)
    const second = await poll(begun.device_code)
    expect([second.status, types(second)]).toEqual([400, ['device_login.expired_token']])
    expect(second.json.detail).toContain(first.json.key.id)
    expect((await decide(ada, 'approve', begun.user_code)).data.approveDeviceLogin.login.state).toBe('CONSUMED')
  })

  it('denied gives no key, an unknown code neither', async () => {
    const begun = await start()
    expect((await decide(ada, 'deny', begun.user_code)).data.denyDeviceLogin.login.state).toBe('DENIED')
    expect((await decide(ada, 'deny', begun.user_code)).data.denyDeviceLogin.login.state).toBe('DENIED')
    expect(codeOf(await decide(ada, 'approve', begun.user_code))).toBe('conflict.device_login_decided')
    expect(types(await poll(begun.device_code))).toEqual(['device_login.access_denied'])
    expect(types(await poll('x'.repeat(43)))).toEqual(['device_login.expired_token'])
  })

  it('tells a program that polls too fast to slow down, for good', async () => {
    const { device_code: device, user_code: user } = await start()
    const answers = [await poll(device), await poll(device), await poll(device)]
    expect(answers.map((answer) => [types(answer)[0], answer.headers.get('retry-after')])).toEqual([
      ['device_login.authorization_pending', '5'],
      ['device_login.slow_down', '10'],
      ['device_login.slow_down', '15'],
    ])
    await age(user, `polled_at = now() - interval '14.9 seconds'`)
    expect(types(await poll(device))).toEqual(['device_login.slow_down'])
    await age(user, `polled_at = now() - interval '20 seconds'`)
    expect(types(await poll(device))).toEqual(['device_login.authorization_pending'])
  })

  it('ends at its 15 minutes, approved or not, and its code is free again', async () => {
    const [waiting, approved] = [await start(), await start()]
    await decide(ada, 'approve', approved.user_code)
    for (const { user_code: code } of [waiting, approved]) await age(code, 'expires_at = now()')
    for (const { device_code: code } of [waiting, approved])
      expect(types(await poll(code))).toEqual(['device_login.expired_token'])
    expect(codeOf(await decide(ada, 'approve', waiting.user_code))).toBe('not_found')
    const last = await start()
    await age(last.user_code, `expires_at = now() + interval '1 minute'`)
    expect((await decide(ada, 'approve', last.user_code)).errors).toBeUndefined()
    expect((await poll(last.device_code)).status).toBe(200)
  })
})

describe('who decides', () => {
  it('is a person with a session: no key of any scope, agent or not, and nobody without a credential', async () => {
    const begun = await start()
    const keys = [await hub.key(ada, { scope: 'train' }), await hub.key(ada, { scope: 'train', agent: true })]
    for (const key of keys) expect(codeOf(await decide(key, 'approve', begun.user_code))).toBe('forbidden.scope')
    expect(codeOf(await decide(null, 'approve', begun.user_code))).toBe('auth.missing')
    const look = '{ deviceLogin(userCode: "BBBB-BBBB") { state } }'
    expect(codeOf(await hub.graphql(keys[0] ?? null, look))).toBe('forbidden.scope')
    expect((await rowOf(begun.user_code)).state).toBe('pending')
  })

  it('is one of two persons who approve at the same time, and the key is that one’s', async () => {
    const bob = await hub.person()
    const begun = await start()
    const both = await Promise.all([ada, bob].map((who) => decide(who, 'approve', begun.user_code)))
    const won = both.findIndex(({ errors }) => errors === undefined)
    expect(codeOf(both[1 - won])).toBe('not_found')
    const { json } = await poll(begun.device_code)
    expect(json.key.owner.handle).toBe([ada, bob][won]?.handle)
  })

  it('decides once: of an approval and a denial at the same time one holds, and the poll says the same', async () => {
    for (let round = 0; round < 3; round++) {
      const begun = await start()
      const [yes, no] = await Promise.all([
        decide(ada, 'approve', begun.user_code),
        decide(ada, 'deny', begun.user_code),
      ])
      const refused = [yes, no].map(codeOf).filter((code) => code !== undefined)
      expect(refused).toEqual(['conflict.device_login_decided'])
      expect((await poll(begun.device_code)).status).toBe(yes.errors === undefined ? 200 : 400)
    }
  })

  it('makes one key for any number of polls at the same time', async () => {
    const begun = await start({ name: newName('raced') })
    await decide(ada, 'approve', begun.user_code)
    const answers = await Promise.all(Array.from({ length: 6 }, () => poll(begun.device_code)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400, 400])
    const { id } = await rowOf(begun.user_code)
    const [made] = await hub.sql<{ count: number }>(
      'select count(*) from api_keys k join device_logins l on l.name = k.name where l.id = $1',
      [id],
    )
    expect(made?.count).toBe(1)
  })

  it('sees no sign-in that another person has decided', async () => {
    const [bob, begun] = [await hub.person(), await start()]
    await decide(ada, 'approve', begun.user_code)
    const look = (who: Person) => hub.graphql(who, `{ deviceLogin(userCode: "${begun.user_code}") { state userCode } }`)
    expect((await look(ada)).data.deviceLogin).toEqual({ state: 'APPROVED', userCode: begun.user_code })
    expect(codeOf(await look(bob))).toBe('not_found')
  })
})

describe('guessing a code', () => {
  it('ends after ten misses in 15 minutes, also of guesses at the same time, and for the right code too', async () => {
    const [eve, begun] = [await hub.person(), await start()]
    const guesses = await Promise.all(Array.from({ length: 14 }, () => decide(eve, 'approve', 'BBBB-BBBB')))
    const codes = guesses.map(codeOf).toSorted()
    expect(codes).toEqual([...Array(10).fill('not_found'), ...Array(4).fill('rate.limited')])
    const began = (ago: string) =>
      hub.sql(`update user_code_misses set started_at = now() - $2::interval where account_id = $1`, [eve.id, ago])
    await began('700 seconds')
    const refused = await decide(eve, 'approve', begun.user_code)
    expect([codeOf(refused), refused.errors[0].message]).toEqual([
      'rate.limited',
      expect.stringContaining('wait 4 minutes'),
    ])
    await began('901 seconds')
    expect((await decide(eve, 'approve', begun.user_code)).errors).toBeUndefined()
  })

  it('counts no code that is right, and none that can be no code', async () => {
    const [bob, begun] = [await hub.person(), await start()]
    for (let n = 0; n < 12; n++) await decide(bob, 'deny', n % 2 === 0 ? begun.user_code : 'no code')
    const [misses] = await hub.sql<{ count: number }>('select count from user_code_misses where account_id = $1', [
      bob.id,
    ])
    expect(misses?.count).toBe(0)
  })
})

describe('the page of a sign-in', () => {
  const cookieOf = (who: Person) => ({ cookie: `hub_session=${who.token}` })
  const open = (path: string, headers: Record<string, string> = {}) => hub.send(null, 'GET', path, { headers })
  const submit = (form: Record<string, string>, headers: Record<string, string>) =>
    hub.send(null, 'POST', '/auth/device', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(form).toString(),
    })

  it('asks who is not signed in for a session first, and comes back', async () => {
    const page = await open('/auth/device?user_code=BCDF-GHJK')
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('value="/auth/device?user_code=BCDF-GHJK"')])
    expect(page.text).toContain('no identity provider')
    const signedIn = await hub.send(null, 'POST', '/auth/session', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: hub.running.url },
      body: new URLSearchParams({ token: ada.token, return_to: '/auth/device?user_code=BCDF-GHJK' }).toString(),
    })
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/auth/device?user_code=BCDF-GHJK'])
  })

  it('shows who asks for what, in a page that no other may frame, and approves by a POST of its own', async () => {
    const begun = await start({ name: '<b>bench</b>\u202e', scope: 'read', key_ttl_seconds: 7200 })
    const path = `/auth/device?user_code=${begun.user_code}`
    const page = await open(path, cookieOf(ada))
    expect(page.status).toBe(200)
    for (const part of [
      begun.user_code,
      '&#60;b&#62;bench&#60;/b&#62;\\u202e',
      'read: see',
      '2 hours',
      '127.0.0.1',
      ada.handle,
    ])
      expect(page.text).toContain(part)
    const rows = [...page.text.matchAll(/<tr><th>(.*?)<\/th><td>(.*?)<\/td>/g)].map(([, name, value]) => [name, value])
    expect(rows.slice(0, 3)).toEqual([
      ['Code', `<code>${begun.user_code}</code>`],
      ['Scope', 'read: see what you can see'],
      ['Valid for', '2 hours'],
    ])
    expect(page.text).toContain('it shows this code and this scope')
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self'")
    const form = { user_code: begun.user_code, decision: 'approve' }
    const foreign: Record<string, string>[] = [
      {},
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of foreign) expect((await submit(form, { ...cookieOf(ada), ...headers })).status).toBe(403)
    expect((await rowOf(begun.user_code)).state).toBe('pending')
    const own = { ...cookieOf(ada), origin: hub.running.url }
    expect((await submit({ ...form, decision: 'maybe' }, own)).status).toBe(422)
    expect((await submit(form, own)).text).toContain('Approved.')
    expect((await open(path, cookieOf(ada))).text).toContain('Approved.')
    expect((await poll(begun.device_code)).status).toBe(200)
  })

  it('says what is wrong with a code, and asks for one where there is none', async () => {
    const wrong = await open('/auth/device?user_code=%3Cb%3E', cookieOf(ada))
    expect([wrong.status, wrong.text.includes('<b>')]).toEqual([404, false])
    expect((await open('/auth/device', cookieOf(ada))).text).toContain('name="user_code"')
    const ended = await open('/auth/device', { cookie: 'hub_session=ended' })
    expect([ended.status, ended.headers.get('set-cookie')]).toEqual([401, expect.stringContaining('hub_session=;')])
  })
})

describe('the key of a sign-in', () => {
  const revoke = (who: string, id: string) =>
    hub.graphql(who, 'mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { key { revokedAt } } }', { id })

  it('revokes itself, and no other key', async () => {
    const begun = await start()
    await decide(ada, 'approve', begun.user_code)
    const { token, key } = (await poll(begun.device_code)).json
    const other = await hub.key(ada, { scope: 'train' })
    expect(codeOf(await revoke(other, key.id))).toBe('forbidden.scope')
    expect((await revoke(token, key.id)).data.revokeApiKey.key.revokedAt).not.toBeNull()
    expect((await hub.call(token, 'GET', '/v1/me')).status).toBe(401)
  })
})
