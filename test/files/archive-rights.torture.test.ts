/** An archive that is being sent while its caller loses the right to read it. */
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { contractHub, type Person, type Who } from '../support/hub.ts'

/** More than the sockets of both ends hold. */
const LARGE = 32 * 1024 * 1024
const hub = contractHub()
const now = performance.now.bind(performance)
let ada: Person
let repo: string
beforeAll(async () => {
  ada = await hub.person()
  repo = await hub.repo(ada, { visibility: 'public' })
  await hub.upload(ada, repo, { 'large.bin': Buffer.alloc(LARGE, 7) })
})
afterEach(() => vi.restoreAllMocks())

/** Opens it, does something before it is read, and reads it half a minute later. */
async function sentAround(who: Who, meanwhile: () => Promise<unknown>) {
  const headers = new Headers()
  if (who) headers.set('authorization', `Bearer ${typeof who === 'string' ? who : who.token}`)
  const answer = await fetch(`${hub.running.url}/v1/repos/${repo}/archive`, { headers })
  expect(answer.status).toBe(200)
  await meanwhile()
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 30_000)
  return answer.arrayBuffer().then(({ byteLength }) => byteLength)
}

it('is sent to its end to a caller who may read it', async () => {
  const key = await hub.key(ada, { scope: 'read' })
  expect(await sentAround(key, async () => undefined)).toBeGreaterThan(LARGE)
  expect(await sentAround(null, async () => undefined)).toBeGreaterThan(LARGE)
})

it('breaks off for a key that was revoked', async () => {
  const key = await hub.key(ada, { scope: 'read', name: 'ends' })
  const revoke = () => hub.sql(`update api_keys set revoked_at = now() where name = 'ends'`)
  await expect(sentAround(key, revoke)).rejects.toThrow('terminated')
})

it('breaks off for a stranger once the repo is private', async () => {
  const hide = () => hub.call(ada, 'PATCH', `/v1/repos/${repo}`, { visibility: 'private' })
  await expect(sentAround(null, hide)).rejects.toThrow('terminated')
})
