/** Contract, "Passkeys": at which addresses a hub has them. */
import { describe, expect, it } from 'vitest'
import { relyingParty } from '../../../src/accounts/passkeys/relying-party.ts'
import { passkeyUse } from '../../../web/src/ui/passkeys.ts'
import { contractHub, type Json } from '../../support/hub.ts'
import { typeOf } from '../../support/passkeys.ts'

const partyAt = (publicUrl: string | null) => relyingParty({ publicUrl, port: 8000, localSignIn: true })

describe('the site of passkeys', () => {
  it.each([
    ['https://hub.example.com', 'hub.example.com', 'https://hub.example.com'],
    ['https://hub.example.com:8443/', 'hub.example.com', 'https://hub.example.com:8443'],
    ['http://localhost:8000', 'localhost', 'http://localhost:8000'],
    ['http://hub.localhost:8000', 'hub.localhost', 'http://hub.localhost:8000'],
    ['http://127.0.0.1:8123', 'localhost', 'http://localhost:8123'],
    ['http://[::1]:8000', 'localhost', 'http://localhost:8000'],
    [null, 'localhost', 'http://localhost:8000'],
  ])('of %s is %s', (url, id, origin) => {
    expect(partyAt(url)).toEqual({ id, origin })
  })

  it.each(['http://192.168.1.5:8000', 'http://hub.example.com', 'https://10.0.0.1', 'https://[2001:db8::1]'])(
    'is none at %s, and the sentence says why',
    (url) => {
      expect(partyAt(url)).toEqual({ fault: expect.stringContaining(`localhost. This hub is at ${url}; PUBLIC_URL`) })
    },
  )

  it('is none where local sign-in is off', () => {
    expect(relyingParty({ publicUrl: 'https://hub.test', port: 1, localSignIn: false })).toEqual({
      fault: expect.stringContaining('LOCAL_SIGN_IN=no'),
    })
  })
})

describe('a page', () => {
  const ways = { passkeyOrigin: 'http://localhost:8000', noPasskeys: null }

  it('uses them at that address alone, and leads there from another one', () => {
    expect(passkeyUse(ways, 'http://localhost:8000', true)).toEqual({ can: true })
    expect(passkeyUse(ways, 'http://127.0.0.1:8000', true)).toMatchObject({
      can: false,
      elsewhere: 'http://localhost:8000',
    })
    expect(passkeyUse(ways, 'http://localhost:8000', false)).toMatchObject({ can: false, elsewhere: null })
    const none = { passkeyOrigin: null, noPasskeys: 'Because.' }
    expect(passkeyUse(none, 'http://192.168.1.5', true)).toEqual({ can: false, why: 'Because.', elsewhere: null })
  })
})

const ways = '{ signInWays { password passkeyOrigin noPasskeys } }'

describe('a hub without https', () => {
  const hub = contractHub({ PUBLIC_URL: 'http://192.168.1.5:8000' })

  it('has passwords alone, and says so in the graph and in the error', async () => {
    // Its address is not one that this test reaches.
    const post = (url: string, payload: object) =>
      hub.running.app.inject({ method: 'POST', url, payload, headers: { origin: 'http://192.168.1.5:8000' } })
    const { signInWays } = (await post('/graphql', { query: ways })).json().data
    expect(signInWays).toEqual({ password: true, passkeyOrigin: null, noPasskeys: expect.stringContaining('https') })
    const answer = await post('/auth/passkey/start', {})
    expect([answer.statusCode, answer.json()]).toEqual([
      503,
      expect.objectContaining({ type: '/problems/not_configured.passkeys', detail: signInWays.noPasskeys }),
    ])
  })
})

describe('a hub without local sign-in', () => {
  const hub = contractHub({ LOCAL_SIGN_IN: 'no' })

  it('has neither passwords nor passkeys', async () => {
    const ada = await hub.person()
    const { signInWays } = (await hub.graphql(null, ways)).data
    expect(signInWays).toEqual({
      password: false,
      passkeyOrigin: null,
      noPasskeys: expect.stringContaining('LOCAL_SIGN_IN=no'),
    })
    const refused = '/problems/not_configured.local_sign_in'
    const answer: Json = await hub.graphql(ada, '{ newPasskey { ceremony options } }')
    expect(typeOf(answer)).toBe(refused)
    for (const path of ['/auth/passkey/start', '/auth/link/passkey/start']) {
      const posted = await hub.send(null, 'POST', path, {
        headers: { 'content-type': 'application/json', origin: hub.running.url },
        body: JSON.stringify({ token: 'x', handle: 'x' }),
      })
      expect([posted.status, posted.json.type]).toEqual([503, refused])
    }
  })
})
