/**
 * Only a token that the hub signed, for this endpoint, these bytes and an open session, opens a link, and no longer
 * than until it expires.
 */
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { exportSPKI, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, connectUntilExpiry, statusOf } from './support/device.ts'
import { endpointId, modelSha256 } from './support/hub-keys.ts'
import { type Listening, startListening, until } from './support/listening.ts'

let server: Listening
beforeAll(async () => {
  server = await startListening()
})
afterAll(() => server.close())

let count = 0
const session = () => {
  count += 1
  return `esess_${count}`
}
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

describe('a token', () => {
  it.each(['api_key', 'Authorization: Api-Key', 'Authorization: Bearer'])('opens a link as %s', async (place) => {
    const token = await server.keys.token(session())
    const [header = '', scheme] = place.split(': ')
    expect(await statusOf(server.address, { [header]: scheme ? `${scheme} ${token}` : token })).toBe(101)
  })

  it('is required', async () => {
    expect(await statusOf(server.address, {})).toBe(401)
    expect(await statusOf(server.address, { api_key: 'x' })).toBe(401)
    expect(await statusOf(server.address, { api_key: 'x'.repeat(5000) })).toBe(401)
  })

  it('is refused beside another one', async () => {
    const [one, other] = [await server.keys.token(session()), await server.keys.token(session())]
    expect(await statusOf(server.address, { api_key: one, authorization: `Bearer ${other}` })).toBe(401)
    expect(await statusOf(server.address, { api_key: one, authorization: `Bearer ${one}` })).toBe(101)
  })

  const attacks: Readonly<Record<string, () => Promise<string>>> = {
    'has no signature (alg none)': async () => {
      const claims = { iss: 'hub', jti: session(), sub: 'dev_1', endpoint: endpointId, model_sha256: modelSha256 }
      return new UnsecuredJWT(claims).setAudience(endpointId).setExpirationTime(inSeconds(60)).encode()
    },
    'is signed with the public key as a secret (HS256)': async () => {
      const key = await importJWK({ ...server.keys.publicJwk() }, 'EdDSA')
      const secret = new TextEncoder().encode(await exportSPKI(key as CryptoKey))
      return await server.keys.token(session(), { header: { alg: 'HS256' }, key: secret })
    },
    'is signed with the bytes of the public key as a secret (HS256)': () =>
      server.keys.token(session(), {
        header: { alg: 'HS256' },
        key: Buffer.from(server.keys.publicJwk().x ?? '', 'base64url'),
      }),
    'is an approval': () => server.keys.token(session(), { header: { typ: 'svc-approval+jwt' } }),
    'is a session of a person': () => server.keys.token(session(), { header: { typ: 'hub-session+jwt' } }),
    'has no typ': () => server.keys.token(session(), { header: { typ: undefined } }),
    'is of another issuer': () => server.keys.token(session(), { claims: { iss: 'https://other.example' } }),
    'is signed by another key under the name of the hub’s': async () =>
      server.keys.token(session(), { key: (await generateKeyPair('EdDSA', { crv: 'Ed25519' })).privateKey }),
    'names no key': () => server.keys.token(session(), { header: { kid: undefined } }),
    'brings its own key': async () => {
      const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
      const jwk = {
        kty: 'OKP',
        crv: 'Ed25519',
        x: Buffer.from(await crypto.subtle.exportKey('raw', publicKey)).toString('base64url'),
      }
      return new SignJWT({
        iss: 'hub',
        jti: session(),
        sub: 'dev_1',
        aud: endpointId,
        endpoint: endpointId,
        model_sha256: modelSha256,
      })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'svc-session+jwt', jwk })
        .setExpirationTime('1m')
        .sign(privateKey)
    },
    'expired a second ago': () => server.keys.token(session(), { claims: { exp: inSeconds(-1) } }),
    'never expires': () => server.keys.token(session(), { claims: { exp: undefined } }),
    'begins later': () => server.keys.token(session(), { claims: { nbf: inSeconds(60) } }),
    'is for another endpoint': () => server.keys.token(session(), { claims: { endpoint: 'ep_other' } }),
    'is for another audience': () => server.keys.token(session(), { claims: { aud: 'ep_other' } }),
    'is for other bytes': () => server.keys.token(session(), { claims: { model_sha256: 'd'.repeat(64) } }),
    'names no session': () => server.keys.token(session(), { claims: { jti: undefined } }),
    'was changed': async () => {
      const [head, , signature] = (await server.keys.token(session())).split('.')
      const [, claims] = (await server.keys.token(session())).split('.')
      return `${head}.${claims}.${signature}`
    },
  }
  it.each(Object.entries(attacks))('is refused with 401 before the upgrade if it %s', async (_, made) => {
    expect(await statusOf(server.address, { api_key: await made() })).toBe(401)
  })
})

describe('a session', () => {
  it('has one link at a time', async () => {
    const token = await server.keys.token(session())
    const device = await connect(server.address, { api_key: token })
    expect(await statusOf(server.address, { api_key: token })).toBe(409)
    const race = await Promise.all([1, 2, 3].map(() => statusOf(server.address, { api_key: token })))
    expect(race).toEqual([409, 409, 409])
    device.close()
  })

  it('lets one of many in that come at once', async () => {
    const token = await server.keys.token(session())
    const devices = await Promise.allSettled([1, 2, 3, 4].map(() => connect(server.address, { api_key: token })))
    expect(devices.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('is closed for good by its device, and its token opens nothing more', async () => {
    const token = await server.keys.token(session())
    const device = await connect(server.address, { api_key: token })
    device.close()
    await device.ended()
    await until(async () => (await statusOf(server.address, { api_key: token })) === 401)
  })

  it('may come back after its link was lost', async () => {
    const id = session()
    const token = await server.keys.token(id)
    const device = await connect(server.address, { api_key: token })
    device.socket.terminate()
    await until(() => !server.book.hasLink(id))
    const again = await connect(server.address, { api_key: token })
    expect(again.metadata.session_id).toBe(id)
    again.close()
  })

  it('loses its link when its token expires', async () => {
    const id = session()
    const signed = (exp: number) => server.keys.token(id, { claims: { exp } })
    const { device, token, exp } = await connectUntilExpiry(server.address, signed)
    expect(await device.ended()).toEqual({ code: 1008, reason: 'expired' })
    // Timers may be a few milliseconds early.
    expect(Date.now() / 1000).toBeGreaterThan(exp - 0.05)
    expect(await statusOf(server.address, { api_key: token })).toBe(401)
    expect(server.book.states().find(({ session_id: one }) => one === id)).toMatchObject({
      state: 'closed',
      closed_reason: 'expired',
    })
  })

  it('that the hub has closed loses its link at once, and its token opens nothing more', async () => {
    const [id, unseen] = [session(), session()]
    const token = await server.keys.token(id)
    const device = await connect(server.address, { api_key: token })
    server.listener.closeSessions([id, unseen], 1008, 'closed')
    expect(await device.ended()).toEqual({ code: 1008, reason: 'closed' })
    expect(await statusOf(server.address, { api_key: token })).toBe(401)
    expect(await statusOf(server.address, { api_key: await server.keys.token(unseen) })).toBe(401)
  })
})

describe('the hub’s keys', () => {
  it('are read again for a key that is not known', async () => {
    await server.keys.rotate(true)
    await until(async () => (await statusOf(server.address, { api_key: await server.keys.token(session()) })) === 101)
  })

  it('are not read for each guess', async () => {
    const before = server.keys.asked()
    const startMs = performance.now()
    for (let guess = 0; guess < 40; guess += 1)
      expect(
        await statusOf(server.address, {
          api_key: await server.keys.token(session(), { header: { kid: `guess-${guess}` } }),
        }),
      ).toBe(401)
    // One for each 50 ms, and one for each 100 ms of the timer.
    expect(server.keys.asked() - before).toBeLessThanOrEqual(2 + (performance.now() - startMs) / 30)
  })

  it('keep opening links while the hub is away', async () => {
    server.keys.setAway(true)
    const before = server.keys.asked()
    await until(() => server.keys.asked() > before)
    expect(await statusOf(server.address, { api_key: await server.keys.token(session()) })).toBe(101)
    server.keys.setAway(false)
  })

  it('that are withdrawn end the links that they opened', async () => {
    const token = await server.keys.token(session())
    const device = await connect(server.address, { api_key: token })
    await server.keys.rotate(false)
    expect(await device.ended()).toEqual({ code: 1008, reason: 'key_withdrawn' })
    expect(await statusOf(server.address, { api_key: token })).toBe(401)
  })
})

it('opens a link after a device vanished while its token was verified', async () => {
  await server.keys.rotate(true)
  const release = server.keys.hold()
  const asked = server.keys.asked()
  await until(() => server.keys.asked() > asked)
  const token = await server.keys.token(session())
  const [host = '', port] = server.address.split(':')
  const gone = createConnection(Number(port), host)
  await once(gone, 'connect')
  gone.write(
    `GET / HTTP/1.1\r\nHost: ${server.address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
      `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\napi_key: ${token}\r\n\r\n`,
  )
  // Each answer is behind what the server has read by then.
  const health = async () => (await fetch(`http://${server.address}/healthz`)).text()
  await health()
  gone.resetAndDestroy()
  await health()
  release()
  await until(async () => (await statusOf(server.address, { api_key: token })) === 101)
})
