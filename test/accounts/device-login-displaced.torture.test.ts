/** Sign-ins that wait to be decided: however many one address asks for, nobody else is refused or loses theirs. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { displaceEverywhere, MAX_WAITING } from '../../src/accounts/device-login/displace-logins.ts'
import { dropOldRows } from '../../src/jobs/old-rows.ts'
import { contractHub, type Json, type Person, types } from '../support/hub.ts'

const hub = contractHub({ TRUST_PROXY: '1' })
let ada: Person

beforeAll(async () => {
  ada = await hub.person()
})
beforeEach(() => hub.sql('delete from device_logins'))

const tryStart = (address: string) =>
  hub.call(null, 'POST', '/v1/auth/device', { name: 'a program' }, { 'x-forwarded-for': address })
const start = async (address: string): Promise<Json> => {
  const answer = await tryStart(address)
  expect([answer.status, answer.json.errors]).toEqual([200, undefined])
  return answer.json
}
const poll = async ({ device_code: deviceCode }: Json) => {
  const answer = await hub.call(null, 'POST', '/v1/auth/device/token', { device_code: deviceCode })
  return { status: answer.status, type: answer.json.errors && types(answer)[0], detail: answer.json.detail }
}
const pending = { status: 400, type: expect.stringMatching(/authorization_pending|slow_down/) }
const displaced = {
  status: 400,
  type: 'device_login.expired_token',
  detail: expect.stringMatching(/newer sign-ins from the same network took its place\. .*`hub login`/),
}
const decide = (verb: 'approve' | 'deny', { user_code: userCode }: Json): Promise<Json> =>
  hub.graphql(
    ada,
    `mutation ($input: ${verb === 'approve' ? 'Approve' : 'Deny'}DeviceLoginInput!) {
      ${verb}DeviceLogin(input: $input) { login { state } } }`,
    { input: { userCode } },
  )

/** Rows as `count` starts from an address make them, the last one just now. `ago`: of the last one, in seconds. */
let filled = 0
async function fill(address: string, network: string, count: number, ago = 0) {
  filled += count
  await hub.sql(
    `insert into device_logins (id, device_code_sha256, user_code, name, scope, key_ttl_s, address, network, created_at, expires_at)
     select 'login_' || n, sha256(convert_to(n::text, 'UTF8')),
       (select string_agg(substr('BCDFGHJKLMNPQRSTVWXZ', 1 + (n / (20 ^ k)::int) % 20, 1), '') from generate_series(0, 7) k),
       'filled', 'write', 3600, $1, $2, at, at + interval '900 seconds'
     from (select n, now() - make_interval(secs => $5 + ($4 - n) * 0.001) as at from generate_series($3::int, $4::int) n) rows`,
    [address, network, filled - count + 1, filled, ago],
  )
}
const waiting = async (where = 'true') => {
  const [row] = await hub.sql<{ count: number }>(
    `select count(*) from device_logins where state = 'pending' and expires_at > now() and ${where}`,
  )
  return row?.count
}

describe('many sign-ins of one address', () => {
  it('are never refused, however many start at the same time: the oldest give way, and learn it in their next poll', async () => {
    const first = await start('10.1.2.3')
    await fill('10.1.2.3', '10.1.2.3', MAX_WAITING - 1)
    expect((await poll(first)).type).toBe('device_login.authorization_pending')
    await hub.sql(
      `update device_logins set polled_at = null, created_at = now() - interval '1 hour' where name = 'a program'`,
    )
    const answers = await Promise.all(Array.from({ length: 30 }, () => tryStart('10.1.2.3')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await waiting()).toBe(MAX_WAITING)
    expect(await poll(first)).toEqual(displaced)
    for (const { json } of answers) expect(await poll(json)).toMatchObject(pending)
  })

  it('displace first the one whose program was silent for longest, not one that goes on polling', async () => {
    const [polling, silent] = [await start('10.1.2.3'), await start('10.1.2.3')]
    await hub.sql(`update device_logins set created_at = now() - interval '5 minutes'`)
    await fill('10.1.2.3', '10.1.2.3', MAX_WAITING - 2, 10)
    expect(await poll(polling)).toMatchObject(pending)
    for (let n = 0; n < 3; n++) await start('10.1.2.3')
    expect(await poll(polling)).toMatchObject(pending)
    expect(await poll(silent)).toEqual(displaced)
  })

  it('never displace one that is approved and waits for its program', async () => {
    const mine = await start('10.1.2.3')
    expect((await decide('approve', mine)).errors).toBeUndefined()
    await fill('10.1.2.3', '10.1.2.3', MAX_WAITING)
    for (let n = 0; n < 3; n++) await start('10.1.2.3')
    expect(await waiting()).toBe(MAX_WAITING)
    expect((await poll(mine)).status).toBe(200)
  })

  it('that race the approval of the oldest leave one outcome: the key, or an error on both sides', async () => {
    for (let round = 0; round < 8; round++) {
      await hub.sql('delete from device_logins')
      const oldest = await start('10.1.2.3')
      await hub.sql(`update device_logins set created_at = now() - interval '1 minute'`)
      await fill('10.1.2.3', '10.1.2.3', MAX_WAITING - 1)
      const [decided] = await Promise.all([
        decide('approve', oldest),
        ...Array.from({ length: 4 }, () => start('10.1.2.3')),
      ])
      const polled = await poll(oldest)
      if (decided.errors === undefined) expect(polled.status).toBe(200)
      else {
        expect(decided.errors[0].message).toContain('newer sign-ins')
        expect(polled).toEqual(displaced)
      }
      expect(await waiting()).toBe(MAX_WAITING)
    }
  })
})

describe('a flood from one address', () => {
  it('costs no other address of its IPv6 network a sign-in, and refuses none', async () => {
    const [attacker, network] = ['2001:db8:0:7::bad', '2001:db8:0:7::/64']
    const neighbour = await start('2001:db8:0:7::1')
    await hub.sql(`update device_logins set created_at = now() - interval '5 minutes'`)
    await fill(attacker, network, MAX_WAITING - 1)
    await Promise.all(Array.from({ length: 20 }, () => start(attacker)))
    expect(await poll(neighbour)).toMatchObject(pending)
    const second = await start('2001:db8:0:7::2')
    await Promise.all(Array.from({ length: 20 }, () => start(attacker)))
    for (const one of [neighbour, second]) expect(await poll(one)).toMatchObject(pending)
    expect(await waiting()).toBe(MAX_WAITING)
  })

  it('leaves other networks alone', async () => {
    const other = await start('10.9.9.9')
    await hub.sql(`update device_logins set created_at = now() - interval '5 minutes'`)
    await fill('10.1.2.3', '10.1.2.3', MAX_WAITING)
    await Promise.all(Array.from({ length: 20 }, () => start('10.1.2.3')))
    expect(await poll(other)).toMatchObject(pending)
    expect((await tryStart('10.9.9.10')).status).toBe(200)
  })

  it('from many networks leaves the whole hub a bounded number, of which each network keeps its share', async () => {
    const person = await start('10.9.9.9')
    await hub.sql(`update device_logins set created_at = now() - interval '5 minutes'`)
    for (const n of [1, 2, 3]) await fill(`10.0.0.${n}`, `10.0.0.${n}`, 20)
    await displaceEverywhere(hub.running.deps.db, 31)
    expect(await waiting()).toBe(31)
    expect(await poll(person)).toMatchObject(pending)
    for (const n of [1, 2, 3]) expect(await waiting(`network = '10.0.0.${n}'`)).toBe(10)
  })
})

describe('the person who is about to approve a displaced sign-in', () => {
  const displacedLogin = async () => {
    const mine = await start('10.1.2.3')
    await hub.sql(`update device_logins set created_at = now() - interval '1 minute'`)
    await fill('10.1.2.3', '10.1.2.3', MAX_WAITING - 1)
    await start('10.1.2.3')
    return mine
  }
  const cookie = () => ({ cookie: `hub_session=${ada.token}` })

  it('reads on the page what happened and what to do, before and at the decision', async () => {
    const mine = await displacedLogin()
    const page = await hub.send(null, 'GET', `/auth/device?user_code=${mine.user_code}`, { headers: cookie() })
    const form = new URLSearchParams({ user_code: mine.user_code, decision: 'approve' }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded', origin: hub.running.url }
    const posted = await hub.send(null, 'POST', '/auth/device', { headers: { ...type, ...cookie() }, body: form })
    for (const answer of [page, posted]) {
      expect(answer.status).toBe(404)
      expect(answer.text).toContain(`The sign-in ${mine.user_code} has ended`)
      expect(answer.text).toMatch(/newer sign-ins from the same network.*hub login/)
    }
  })

  it('has guessed no code: it does not count as a miss, and neither does one whose time was over', async () => {
    const [mine, late] = [await displacedLogin(), await start('10.7.7.7')]
    await hub.sql('update device_logins set expires_at = now() where user_code = $1', [late.user_code.replace('-', '')])
    for (let n = 0; n < 6; n++) {
      expect((await decide('approve', mine)).errors[0].message).toContain('newer sign-ins')
      expect((await decide('deny', late)).errors[0].message).toContain('was not decided in time')
    }
    expect((await decide('deny', await start('10.7.7.7'))).errors).toBeUndefined()
  })
})

it('a sign-in that nobody decided is kept 15 minutes after its end, to say so, and a decided one for a day', async () => {
  const [justOver, over, denied] = [await start('10.1.1.1'), await start('10.1.1.1'), await start('10.1.1.1')]
  await decide('deny', denied)
  const age = ({ user_code: code }: Json, minutes: number) =>
    hub.sql(
      'update device_logins set created_at = created_at - make_interval(mins => $2), expires_at = now() - make_interval(mins => $2) where user_code = $1',
      [code.replace('-', ''), minutes],
    )
  await Promise.all([age(justOver, 14), age(over, 16), age(denied, 16)])
  await dropOldRows(hub.running.deps, new AbortController().signal)
  const left = await hub.sql<{ userCode: string }>('select user_code as "userCode" from device_logins order by id')
  expect(left.map(({ userCode }) => userCode)).toEqual(
    [justOver, denied].map(({ user_code: code }) => code.replace('-', '')),
  )
})
