// @module-tag sampled

import { itInTorture, itOnce } from '@hub/testing/torture'
import { decodeProtectedHeader, SignJWT } from 'jose'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { type Auth, openAuth } from '../../src/auth/auth.ts'
import { contractHub } from '../support/hub.ts'
import { sessionWorld } from '../support/sessions.ts'

const hub = contractHub({}, { alone: true })
/** A second instance on the hub's database: `auth` for what the hub itself does not do. */
let auth: Auth

beforeAll(async () => {
  const { config, db } = hub.running.deps
  auth = await openAuth({ config, log: pino({ level: 'silent' }), db, secret: config.secret ?? '' })
})
afterAll(async () => auth?.close())

const me = async (token: string) => (await hub.send(token, 'GET', '/v1/me')).status
const published = async (): Promise<string[]> =>
  (await hub.send(null, 'GET', '/.well-known/jwks.json')).json.keys.map(({ kid }: { kid: string }) => kid)

itOnce('the key that signs cannot be withdrawn, and an unknown one is not there', async () => {
  const { kid } = await auth.keys.current()
  await expect(auth.keys.withdraw(kid)).rejects.toMatchObject({ type: 'conflict.signing_key' })
  await expect(auth.keys.withdraw('nobody')).rejects.toMatchObject({ type: 'not_found' })
  expect(await auth.keys.list()).toEqual([{ kid, createdAt: expect.any(String), retiredAt: null, withdrawnAt: null }])
})

itOnce('a retired key signs the same claims again to the same token', async () => {
  const signed = ({ kid, privateKey }: Awaited<ReturnType<Auth['keys']['current']>>) =>
    new SignJWT({ sub: 'x' }).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKey)
  const before = await auth.keys.current()
  const token = await signed(before)
  await auth.keys.rotate()
  expect(await signed(await auth.keys.signer(before.kid))).toBe(token)
})

itInTorture('a withdrawn key signs and verifies nothing more, on every instance, and leaves the JWKS', async () => {
  const person = await hub.person()
  const retired = decodeProtectedHeader(person.token).kid ?? ''
  const made = await auth.keys.rotate()
  // The hub and `auth` loaded different keys, until the hub notices.
  await expect.poll(published).toContain(made)
  expect(await me(person.token)).toBe(200)
  const state = await auth.keys.withdraw(retired)
  expect(state).toMatchObject({ kid: retired, retiredAt: expect.any(String), withdrawnAt: expect.any(String) })
  await expect(auth.keys.publicKey(retired)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' })
  expect((await auth.keys.signer(retired)).kid).toBe(made)
  await expect.poll(() => me(person.token)).toBe(401)
  await expect.poll(published).not.toContain(retired)
  expect((await auth.keys.jwks()).map(({ kid }) => kid)).not.toContain(retired)
  expect(await auth.keys.withdraw(retired)).toEqual(state)
  const entries = await hub.sql(`select from audit_log where action = 'signing_key.withdraw' and target_id = $1`, [
    retired,
  ])
  expect(entries).toHaveLength(1)
})

itOnce('an approval of a withdrawn key opens nothing at once, on an instance that still knows the key', async () => {
  const world = sessionWorld(hub)
  // Who signs here may not know yet that the key of the test before is withdrawn.
  const person = await vi.waitFor(
    async () => {
      const one = await hub.person()
      expect(await me(one.token)).toBe(200)
      return one
    },
    { timeout: 100_000, interval: 500 },
  )
  const [endpoint, device, driver] = [await world.endpoint(person), await world.device(person), await hub.key(person)]
  const { token } = await world.approve(person, endpoint, device)
  const open = async () => (await world.open(driver, endpoint, { device_id: device, approval_token: token })).status
  const kid = decodeProtectedHeader(token).kid ?? ''
  if ((await auth.keys.current()).kid === kid) await auth.keys.rotate()
  expect(await open()).toBe(201)
  await auth.keys.withdraw(kid)
  expect(await open()).toBe(403)
})

itInTorture('the name of a key is never read as an option of the command that withdraws it', async () => {
  const names: string[] = []
  // Of 400 thumbprints all but one time in 500 one begins with a minus.
  for (let at = 0; at < 400; at += 1) names.push(await auth.keys.rotate())
  expect(names.filter((name) => name.startsWith('-'))).toEqual([])
})
