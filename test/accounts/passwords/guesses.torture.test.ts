// @module-tag long
/** Contract, "Passwords": guesses in numbers, each of which costs the hub a hash. */
import { beforeEach, describe, expect, it } from 'vitest'
import { contractHub, newName } from '../../support/hub.ts'
import { cookieOf, PASSWORD, passwords } from '../../support/passwords.ts'

// Dear enough that its time stands out under load.
const hub = contractHub({ PASSWORD_COST: '15' }, { alone: true })
const { person, set, signIn, forget } = passwords(hub)
beforeEach(() => forget())

const WRONG = 'no horse, no battery'

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

/** Two seconds, which the next guess may take on a busy machine: where there is a delay, it does not end meanwhile. */
const hold = () =>
  hub.sql(`update sign_in_delays set next_at = now() + interval '1 hour' where next_at > last_at + interval '1 s'`)

describe('enumeration', () => {
  it('takes as long for a name that is unknown: it hashes too', async () => {
    const ada = await person()
    let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    const isAlike = () => unknown / known > 0.4 && unknown / known < 2.5
    // By turns, at the best of them: what else the machine does makes some of them longer, and none shorter.
    for (let turn = 0; turn < 5 || (turn < 25 && !isAlike()); turn++) {
      await forget()
      known = Math.min(known, await msOf(() => signIn(ada.handle, WRONG)))
      unknown = Math.min(unknown, await msOf(() => signIn(newName('none'), WRONG)))
    }
    // Without the hash an unknown name would take a fiftieth of it.
    expect(unknown / known).toBeGreaterThan(0.4)
    expect(unknown / known).toBeLessThan(2.5)
  })

  it('delays an unknown name as it delays a known one', async () => {
    const ada = await person()
    const statuses = async (name: string) => {
      await forget()
      const found = []
      for (let turn = 0; turn < 8; turn++) {
        found.push((await signIn(name, WRONG)).status)
        await hold()
      }
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
    for (let guess = 0; guess < 11; guess++) {
      // Nine more, as if they had been made: each guess is hashed.
      if (guess === 9) await hub.sql('update sign_in_delays set level = level + 9')
      await signIn(ada.handle, WRONG)
      const [row] = await hub.sql<{ wait: number }>(
        'select max(extract(epoch from next_at - last_at))::float8 as wait from sign_in_delays',
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
    const statuses: number[] = []
    for (let guess = 0; guess < 5; guess++) {
      // As if 28 had been made: each guess is hashed. The first 30 wait for nothing.
      if (guess === 1) await hub.sql('update sign_in_delays set level = 29')
      await hub.sql('update sign_in_delays set last_at = now()')
      // A password that is empty costs a hash too.
      statuses.push((await signIn(`name-${guess}`, '')).status)
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429])
  })

  it('does not keep a person out of a browser in which they have signed in', async () => {
    const [ada, eve] = [await person(), await person()]
    const known = cookieOf(await signIn(ada.handle, PASSWORD), 'hub_known') ?? ''
    const knownOfEve = cookieOf(await signIn(eve.handle, PASSWORD), 'hub_known') ?? ''
    for (let guess = 0; guess < 7; guess++) {
      await signIn(ada.handle, WRONG)
      await hold()
    }
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
      await hold()
    }
    expect(types.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => '/problems/validation.value'))
    expect(types.at(-1)).toBe('/problems/rate.limited')
  })
})
