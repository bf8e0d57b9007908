/** Contract, "Passwords": what attackers without them try. */
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
