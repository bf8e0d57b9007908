/**
 * A server tells the hub what its sessions do, stops when it is asked to, and continues after it was killed and while
 * the hub is away.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubClient } from '@hub/client/internal'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { holdAddress } from '../src/links/held-address.ts'
import { openModel, type PolicyModel } from '../src/model/open-model.ts'
import { type Outcome, type ServerOptions, serveEndpoint, tellEnding } from '../src/serve-endpoint.ts'
import { journalFile } from '../src/server-journal.ts'
import { connect, connectUntilExpiry, statusOf } from './support/device.ts'
import { type HubCalls, hubCalls, servedEndpoint } from './support/hub-calls.ts'
import { endpointId, type KeyServer, startKeyServer } from './support/hub-keys.ts'
import { until } from './support/listening.ts'
import { actionsFor, endlessPolicy, smallPolicy, writtenPolicy } from './support/small-policy.ts'

let keys: KeyServer
let model: PolicyModel
let removeModel = async () => {}
beforeAll(async () => {
  keys = await startKeyServer()
  const { path, remove } = await writtenPolicy(smallPolicy())
  removeModel = remove
  model = await openModel(path, 30_000)
})
const folders: string[] = []
afterAll(async () => {
  await model.close()
  await keys.close()
  await removeModel()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

interface Serving {
  readonly hub: HubCalls
  readonly workDir: string
  readonly address: string
  readonly lines: readonly string[]
  readonly outcome: Promise<Outcome>
  stop(): void
  /** Ends it as a kill does: nothing more is told. */
  abandonClaim(): void
}

const timing = { reportMs: 20, reportWaitMs: 100_000, keysMs: 100, unknownKeyMs: 50, runMs: 500 }

async function serving({ hub = hubCalls(), workDir = '', with: served = model, port = 0 } = {}): Promise<Serving> {
  const folder = workDir || (await mkdtemp(join(tmpdir(), 'hub-serve-')))
  folders.push(folder)
  const [stop, gaveUp] = [new AbortController(), new AbortController()]
  const lines: string[] = []
  const options: ServerOptions = {
    client: createHubClient({ url: keys.url, token: 'unused' }),
    hub,
    claimer: { hub: keys.url, credential: 'key-1', worker: 'bench', url: 'wss://bench.example/policy' },
    address: await holdAddress('127.0.0.1', port),
    workDir: folder,
    stop: stop.signal,
    gaveUp: gaveUp.signal,
    logLine: (line) => lines.push(line),
    timing,
  }
  const outcome = serveEndpoint(options, { endpoint: servedEndpoint, model: served })
  outcome.catch(() => {})
  const address = () => lines.map((line) => /listens on (\S+);/.exec(line)?.[1]).find(Boolean)
  await until(() => address() !== undefined && hub.reports.length > 0)
  return {
    hub,
    workDir: folder,
    address: address() ?? '',
    lines,
    outcome,
    stop: () => stop.abort(new Error('stopped')),
    abandonClaim() {
      gaveUp.abort(new Error('gave up'))
      hub.setAway(true)
      stop.abort(new Error('killed'))
    },
  }
}

let count = 0
const session = () => {
  count += 1
  return `esess_${count}`
}

describe('a server', () => {
  it('claims with the digest that it verified, and reports its sessions until it is stopped', async () => {
    const server = await serving()
    const id = session()
    const device = await connect(server.address, { api_key: await keys.token(id) })
    expect(device.metadata).toMatchObject({
      endpoint_id: endpointId,
      model_sha256: servedEndpoint.model_sha256,
      contract_fingerprint: servedEndpoint.contract_fingerprint,
      control_class: 'skill',
    })
    for (let chunk = 0; chunk < 3; chunk += 1) await device.ask({ obs: [1, 2, 3] })
    await until(() => server.hub.stateOf(id)?.chunks_served === 3)
    expect(server.hub.stateOf(id)).toMatchObject({ state: 'open', service_ms_p50: expect.any(Number) })
    server.stop()
    expect(await device.ended()).toEqual({ code: 1001, reason: 'stopped' })
    expect(await server.outcome).toEqual({ endpoint: endpointId, status: 'stopped', error: null, chunks_served: 3 })
    expect(server.hub.reports.at(-1)).toMatchObject({
      status: 'stopped',
      sessions: [{ session_id: id, state: 'closed', closed_reason: 'stopped', chunks_served: 3 }],
    })
    expect(server.hub.claims).toEqual([{ key: expect.any(String), url: 'wss://bench.example/policy' }])
    expect(existsSync(journalFile(server.workDir, endpointId))).toBe(false)
  })

  it('closes every session while they are busy, and reports stopped, when the hub asks', async () => {
    const server = await serving()
    const ids = [session(), session(), session()]
    const devices = await Promise.all(ids.map(async (id) => connect(server.address, { api_key: await keys.token(id) })))
    const busy = devices.map(async (device) => {
      while (device.socket.readyState === device.socket.OPEN)
        if ('closed' in (await device.ask({ obs: [1, 2, 3] }))) break
    })
    await until(() => ids.every((id) => (server.hub.stateOf(id)?.chunks_served ?? 0) > 5))
    server.hub.askToStop()
    expect((await server.outcome).status).toBe('stopped')
    await Promise.all(busy)
    for (const device of devices) expect(await device.ended()).toEqual({ code: 1001, reason: 'stopped' })
    expect(ids.map((id) => server.hub.stateOf(id)?.state)).toEqual(['closed', 'closed', 'closed'])
    await expect(statusOf(server.address, {})).rejects.toThrow(/ECONNREFUSED/)
  })

  it('shares the time of the model among the sessions that have a link', async () => {
    const server = await serving()
    const [one, two] = [session(), session()]
    const startMs = performance.now()
    const [first, second] = [
      await connect(server.address, { api_key: await keys.token(one) }),
      await connect(server.address, { api_key: await keys.token(two) }),
    ]
    await until(() => (server.hub.stateOf(two)?.gpu_seconds ?? 0) > 0.15)
    const total = () => (server.hub.stateOf(one)?.gpu_seconds ?? 0) + (server.hub.stateOf(two)?.gpu_seconds ?? 0)
    server.stop()
    await Promise.all([first.ended(), second.ended(), server.outcome])
    const wallS = (performance.now() - startMs) / 1000
    // One second of the wall is one second of the model, however many share it.
    expect(total()).toBeLessThanOrEqual(wallS)
    expect(server.hub.stateOf(one)?.gpu_seconds).toBeGreaterThanOrEqual(server.hub.stateOf(two)?.gpu_seconds ?? 1)
  })

  it('drops a session that the hub has closed', async () => {
    const server = await serving()
    const id = session()
    const token = await keys.token(id)
    const device = await connect(server.address, { api_key: token })
    server.hub.closeSession(id)
    expect(await device.ended()).toEqual({ code: 1008, reason: 'closed' })
    expect(await statusOf(server.address, { api_key: token })).toBe(401)
    server.stop()
    await server.outcome
  })

  it('serves on while the hub is away, and tells it everything afterwards', async () => {
    const server = await serving()
    const id = session()
    const device = await connect(server.address, { api_key: await keys.token(id) })
    server.hub.setAway(true)
    keys.setAway(true)
    await until(() => server.lines.some((line) => /hub does not answer/.test(line)))
    expect((await device.ask({ obs: [1, 2, 3] })).actions).toEqual(actionsFor([1, 2, 3]))
    const late = session()
    const signed = (exp: number) => keys.token(late, { claims: { exp } })
    const { device: other } = await connectUntilExpiry(server.address, signed)
    expect(await other.ended()).toEqual({ code: 1008, reason: 'expired' })
    server.hub.setAway(false)
    keys.setAway(false)
    await until(() => server.hub.stateOf(late)?.state === 'closed' && server.hub.stateOf(id)?.chunks_served === 1)
    expect(server.lines.filter((line) => /hub does not answer/.test(line))).toHaveLength(1)
    server.stop()
    await server.outcome
  })

  it('fails with the reason, and tells the hub, when its model fails', async () => {
    const { path, remove } = await writtenPolicy(endlessPolicy())
    const stuck = await openModel(path, 300)
    const server = await serving({ with: stuck })
    const id = session()
    const device = await connect(server.address, { api_key: await keys.token(id) })
    device.socket.send('{"obs":[1,2,3]}')
    expect(await server.outcome).toMatchObject({ status: 'failed', error: expect.stringMatching(/longer than 0.3 s/) })
    expect(server.hub.reports.at(-1)).toMatchObject({ status: 'failed', error: expect.stringMatching(/longer than/) })
    expect(server.hub.stateOf(id)?.state).toBe('closed')
    await remove()
  })

  it('closes its links, and fails, when the hub has ended the endpoint', async () => {
    const server = await serving()
    const device = await connect(server.address, { api_key: await keys.token(session()) })
    server.hub.endEndpoint()
    expect((await device.ended()).code).toBe(1001)
    expect(await server.outcome).toMatchObject({ status: 'failed', error: expect.stringMatching(/has ended/) })
  })
})

describe('a server that is started again after a kill', () => {
  it('goes on with its claim and its counts, and lets no closed session back in', async () => {
    const hub = hubCalls()
    const before = await serving({ hub })
    const [open, closed] = [session(), session()]
    const [openToken, closedToken] = [await keys.token(open), await keys.token(closed)]
    const device = await connect(before.address, { api_key: openToken })
    const other = await connect(before.address, { api_key: closedToken })
    await device.ask({ obs: [1, 2, 3] })
    other.close()
    await until(() => hub.stateOf(closed)?.state === 'closed' && hub.stateOf(open)?.chunks_served === 1)
    const reported = hub.reports.length
    await until(() => hub.reports.length > reported + 1)
    // The journal as a kill leaves it: of a process that did not end anything.
    const { copyFile } = await import('node:fs/promises')
    const workDir = await mkdtemp(join(tmpdir(), 'hub-serve-'))
    await copyFile(journalFile(before.workDir, endpointId), journalFile(workDir, endpointId))
    before.abandonClaim()
    await expect(before.outcome).rejects.toThrow(/gave up/)
    hub.setAway(false)

    const after = await serving({ hub, workDir })
    expect(hub.claims).toHaveLength(1)
    expect(await statusOf(after.address, { api_key: closedToken })).toBe(401)
    const again = await connect(after.address, { api_key: openToken })
    await again.ask({ obs: [1, 2, 3] })
    await until(() => hub.stateOf(open)?.chunks_served === 2)
    after.stop()
    await after.outcome
    expect(hub.reports.at(-1)?.status).toBe('stopped')
  })

  it('tells the hub an end that it could not tell', async () => {
    const hub = hubCalls()
    const server = await serving({ hub })
    const id = session()
    await connect(server.address, { api_key: await keys.token(id) })
    await until(() => hub.stateOf(id) !== undefined)
    server.abandonClaim()
    await expect(server.outcome).rejects.toThrow(/gave up/)
    expect(existsSync(journalFile(server.workDir, endpointId))).toBe(true)
    hub.setAway(false)
    const never = new AbortController().signal
    const options: Omit<ServerOptions, 'address'> = {
      client: createHubClient({ url: keys.url, token: 'unused' }),
      hub,
      claimer: { hub: keys.url, credential: 'key-1', worker: 'bench', url: 'wss://bench.example/policy' },
      workDir: server.workDir,
      stop: never,
      gaveUp: never,
      logLine: () => {},
      timing,
    }
    expect(await tellEnding(options, endpointId)).toMatchObject({ status: 'stopped' })
    expect(hub.stateOf(id)).toMatchObject({ state: 'closed', closed_reason: 'stopped' })
    expect(existsSync(journalFile(server.workDir, endpointId))).toBe(false)
  })
})
