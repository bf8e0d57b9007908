/** Contract, "Passwords": what those try who do not know them. */
import { beforeEach, describe, expect, it } from 'vitest'
import { contractHub, newName } from '../../support/hub.ts'
import { cookieOf, PASSWORD, passwords } from '../../support/passwords.ts'

const hub = contractHub({}, { alone: true })
const { person, post, set, signIn, forget, isValid } = passwords(hub)
beforeEach(() => forget())

const WRONG = 'no horse, no battery'

/** What an answer tells, without what is of the request alone. */
const toldBy = ({ status, headers, json }: Awaited<ReturnType<typeof signIn>>) => {
  const { request_id: _, instance: __, ...problem } = json
  return { status, problem, cookies: headers.getSetCookie(), wait: headers.get('retry-after') }
}
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
async function msOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

describe('enumeration', () => {
  it('a wrong password, an unknown name, a person without one, an org and no handle at all are one answer', async () => {
    const [ada, bare] = [await person(), await hub.person()]
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    const names = [ada.handle, newName('none'), bare.handle, org, '', 'not a handle', 'a\u0000b', 'x'.repeat(3000)]
    const told = []
    for (const name of names) told.push(toldBy(await signIn(name, WRONG)))
    expect(told[0]).toMatchObject({ status: 401, cookies: [], problem: { type: '/problems/auth.invalid' } })
    for (const one of told) expect(one).toEqual(told[0])
  })

  it('takes as long for a name that is unknown: it hashes too', async () => {
    const ada = await person()
    const known: number[] = []
    const unknown: number[] = []
    for (let turn = 0; turn < 5; turn++) {
      await forget()
      known.push(await msOf(() => signIn(ada.handle, WRONG)))
      unknown.push(await msOf(() => signIn(newName('none'), WRONG)))
    }
    // Without the hash an unknown name would take a fiftieth of it.
    expect(median(unknown) / median(known)).toBeGreaterThan(0.4)
    expect(median(unknown) / median(known)).toBeLessThan(2.5)
  })

  it('delays an unknown name as it delays a known one', async () => {
    const ada = await person()
    const statuses = async (name: string) => {
      await forget()
      const found = []
      for (let turn = 0; turn < 8; turn++) found.push((await signIn(name, WRONG)).status)
      return found
    }
    const known = await statuses(ada.handle)
    expect(known).toEqual([401, 401, 401, 401, 401, 401, 429, 429])
    expect(await statuses(newName('none'))).toEqual(known)
  })
})

describe('brute force', () => {
  it('waits longer after each guess, a right one too, and 15 minutes at most; then the right one is let in', async () => {
    const ada = await person()
    const waits: number[] = []
    for (let guess = 0; guess < 20; guess++) {
      await signIn(ada.handle, WRONG)
      const [row] = await hub.sql<{ wait: number }>(
        'select max(extract(epoch from next_at - now()))::float8 as wait from sign_in_delays',
      )
      waits.push(row?.wait ?? 0)
      // As if the wait were over, and the network another one; nothing leaks away meanwhile.
      await hub.sql(`update sign_in_delays set next_at = now()`)
    }
    expect(waits.slice(0, 5).every((wait) => wait <= 0)).toBe(true)
    expect(waits[6]).toBeGreaterThan(1.5 * (waits[5] ?? 0))
    expect(waits[8]).toBeGreaterThan(1.5 * (waits[7] ?? 0))
    expect(Math.max(...waits)).toBeLessThanOrEqual(900)
    expect(Math.max(...waits)).toBeGreaterThan(890)
    await hub.sql(`update sign_in_delays set next_at = now() + interval '10 s'`)
    const early = await signIn(ada.handle, PASSWORD)
    expect([early.status, early.json.type]).toEqual([429, '/problems/rate.limited'])
    expect(Number(early.headers.get('retry-after'))).toBeLessThanOrEqual(10)
    await hub.sql(`update sign_in_delays set next_at = now()`)
    expect((await signIn(ada.handle, PASSWORD)).status).toBe(204)
  })

  it('counts guesses that come at the same time', async () => {
    const ada = await person()
    const answers = await Promise.all(Array.from({ length: 24 }, () => signIn(ada.handle, WRONG)))
    const tried = answers.filter(({ status }) => status === 401).length
    expect(tried).toBeLessThanOrEqual(6)
    expect(answers.every(({ status }) => [401, 429, 503].includes(status))).toBe(true)
  })

  it('of one password against many names is counted for the network', async () => {
    let refused = 0
    for (let guess = 0; guess < 33; guess++) {
      await hub.sql(`update sign_in_delays set last_at = now()`)
      // A password that is empty costs a hash too.
      refused += (await signIn(`name-${guess}`, '')).status === 429 ? 1 : 0
    }
    expect(refused).toBeGreaterThan(0)
  })

  it('does not keep a person out of a browser in which they have signed in', async () => {
    const [ada, eve] = [await person(), await person()]
    const known = cookieOf(await signIn(ada.handle, PASSWORD), 'hub_known') ?? ''
    const knownOfEve = cookieOf(await signIn(eve.handle, PASSWORD), 'hub_known') ?? ''
    for (let guess = 0; guess < 7; guess++) await signIn(ada.handle, WRONG)
    expect((await signIn(ada.handle, PASSWORD)).status).toBe(429)
    // The cookie of another person is none, and neither is one that the hub did not make.
    for (const cookie of [knownOfEve, `${known.slice(0, -4)}AAAA`, 'x'])
      expect((await signIn(ada.handle, PASSWORD, { cookie: `hub_known=${cookie}` })).status).toBe(429)
    expect((await signIn(ada.handle, PASSWORD, { cookie: `hub_known=${known}` })).status).toBe(204)
  })

  it('guesses no faster at the current password of a session that was left open', async () => {
    const ada = await person()
    const types = []
    for (let guess = 0; guess < 13; guess++) {
      const { errors } = await set(ada, `${WRONG} ${guess}`, WRONG)
      types.push(errors?.[0]?.extensions.problem.type)
    }
    expect(types.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => '/problems/validation.value'))
    expect(types.at(-1)).toBe('/problems/rate.limited')
  })
})

describe('other sites', () => {
  it('sign no visitor in: neither by a form nor without an origin', async () => {
    const ada = await person()
    const form = new URLSearchParams({ handle: ada.handle, password: PASSWORD }).toString()
    const sent: Record<string, string>[] = [
      { origin: 'https://elsewhere.test' },
      { origin: 'null' },
      { origin: hub.running.url, 'sec-fetch-site': 'cross-site' },
      { origin: hub.running.url, 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of sent) {
      const answer = await hub.send(null, 'POST', '/auth/password', {
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: form,
      })
      expect([headers, answer.status, answer.headers.getSetCookie()]).toEqual([headers, 403, []])
    }
    const bare = await hub.send(null, 'POST', '/auth/password', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ handle: ada.handle, password: PASSWORD }),
    })
    expect([bare.status, bare.json.type]).toEqual([403, '/problems/forbidden.origin'])
  })

  it('change no password by the cookie of a visitor', async () => {
    const ada = await person()
    const answer = await hub.send(null, 'POST', '/graphql', {
      headers: {
        'content-type': 'application/json',
        cookie: `hub_session=${ada.token}`,
        origin: 'https://elsewhere.test',
      },
      body: JSON.stringify({
        query: `mutation { setPassword(input: { password: "${WRONG}", currentPassword: "${PASSWORD}" }) { changedAt } }`,
      }),
    })
    expect(answer.status).toBe(403)
    expect((await signIn(ada.handle, PASSWORD)).status).toBe(204)
  })
})

describe('fixation and replay', () => {
  it('a session that was put into a browser before is not the one after the sign-in', async () => {
    const [ada, eve] = [await person(), await hub.person()]
    const answer = await signIn(ada.handle, PASSWORD, { cookie: `hub_session=${eve.token}` })
    const token = cookieOf(answer, 'hub_session') ?? ''
    expect(token).not.toBe(eve.token)
    expect((await hub.call(token, 'GET', '/v1/me')).json.account.handle).toBe(ada.handle)
    expect((await hub.call(eve.token, 'GET', '/v1/me')).json.account.handle).toBe(eve.handle)
  })

  it('a session of before a change of the password is over, also one that signs in meanwhile', async () => {
    const ada = await person()
    const old = cookieOf(await signIn(ada.handle, PASSWORD), 'hub_session') ?? ''
    const [change, race] = await Promise.all([set(ada, WRONG, PASSWORD), signIn(ada.handle, PASSWORD)])
    expect(change.data.setPassword?.changedAt).toEqual(expect.any(String))
    const raced = cookieOf(race, 'hub_session')
    expect([await isValid(old), raced !== null && (await isValid(raced))]).toEqual([false, false])
  })

  it('a body that is too large or has no password is refused before anything is hashed', async () => {
    expect((await post('/auth/password', { handle: 'x', password: 'x'.repeat(20_000) })).status).toBe(413)
    expect((await post('/auth/password', { handle: 'x' })).status).toBe(422)
    expect(await hub.sql('select 1 from sign_in_delays')).toEqual([])
  })
})
