/** Approvals, stops and sessions at the same moment, and tokens where they do not belong: nothing is left open that a person has ended. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { sessionWorld } from '../support/sessions.ts'

const hub = contractHub()
const world = sessionWorld(hub)
let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})

const ROUNDS = 4
const openIn = async (endpointId: string): Promise<number> =>
  (
    await hub.sql<Json>(`select count(*)::int as n from endpoint_sessions where endpoint_id = $1 and status = 'open'`, [
      endpointId,
    ])
  )[0].n
const rounds = async (race: (round: number) => Promise<void>) => {
  for (let round = 0; round < ROUNDS; round += 1) await race(round)
}

describe('while a device opens sessions', () => {
  it('an approval that is revoked leaves none of its sessions open', async () => {
    await rounds(async () => {
      const [endpointId, deviceId] = [await world.endpoint(ada), await world.device(ada)]
      const { id, token } = await world.approve(ada, endpointId, deviceId)
      const open = () => world.open(ada, endpointId, { device_id: deviceId, approval_token: token })
      const asked = [open(), open(), world.revoke(ada, id), open(), open()]
      await Promise.all(asked)
      expect(await openIn(endpointId)).toBe(0)
      expect((await open()).status).toBe(403)
      expect((await world.row('endpoints', endpointId)).sessions_open).toBe(0)
    })
  })

  it('an endpoint that is stopped takes no session afterwards', async () => {
    await rounds(async () => {
      const [endpointId, deviceId] = [await world.endpoint(ada), await world.device(ada)]
      const { token } = await world.approve(ada, endpointId, deviceId)
      const open = () => world.open(ada, endpointId, { device_id: deviceId, approval_token: token })
      const [, , stopped] = await Promise.all([
        open(),
        open(),
        hub.call(ada, 'DELETE', `/v1/endpoints/${endpointId}`),
        open(),
      ])
      expect(stopped.status).toBe(202)
      expect((await open()).status).toBe(409)
    })
  })
})

describe('a token', () => {
  it('of an approval, a session or a person is none of the others', async () => {
    const one = await world.opened(ada)
    const other = await world.opened(ada)
    const open = async (endpointId: string, deviceId: string, approval_token: string) =>
      (await world.open(ada, endpointId, { device_id: deviceId, approval_token })).status
    expect([
      await open(other.endpointId, other.deviceId, one.approval.token),
      await open(one.endpointId, other.deviceId, one.approval.token),
      await open(other.endpointId, one.deviceId, one.approval.token),
      await open(one.endpointId, one.deviceId, one.token),
      await open(one.endpointId, one.deviceId, ada.token),
    ]).toEqual([403, 403, 403, 403, 403])
    for (const token of [one.token, one.approval.token])
      expect((await hub.call(token, 'GET', '/v1/me')).status).toBe(401)
    // The session of one endpoint reports nothing at another.
    const report = { closed: true }
    expect((await world.report(ada, other.endpointId, one.sessionId, report)).status).toBe(404)
  })
})
