import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubClient, pushFolder } from '@hub/client/internal'
import { checkpointDigest } from '@hub/formats/policy/checkpoint-digest'
import type { Command } from 'commander'
import type { ClientIo } from 'hub/client-output'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerPolicyServerCommand } from '../../packages/cli/src/policy-server-command.ts'
import { connect, statusOf } from '../../packages/policy-server/test/support/device.ts'
import { until } from '../../packages/policy-server/test/support/listening.ts'
import { actionsFor, smallPolicy } from '../../packages/policy-server/test/support/small-policy.ts'
import { costOfSeconds, usdSum } from '../../src/platform/money.ts'
import { type CommandEnded, runCommandLine } from '../support/command-line.ts'
import { freePort } from '../support/free-port.ts'
import { contractHub, type Json, newName, type Person, sha256Of } from '../support/hub.ts'
import { reachingCheckout } from '../support/open-folder.ts'

const hub = contractHub()
let base: string
let ada: Person
let serverKey: string
let deviceKey: string
let device: string
const policy = smallPolicy()

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-policy-cli-'))
  ada = await hub.person()
  serverKey = await hub.key(ada, { scope: 'train' })
  deviceKey = await hub.key(ada)
  device = await registered(hub, ada)
})
afterAll(() => rm(base, { recursive: true, force: true }))

const contract = JSON.stringify({ control_class: 'skill', params: 39, contract_fingerprint: 'e'.repeat(64) })

type Hub = typeof hub
type Files = Readonly<Record<string, string | Buffer>>

async function pushed(on: Hub, person: Person, key: string, files: Files): Promise<string> {
  const folder = await mkdtemp(join(base, 'model-'))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  const repo = { owner: person.handle, slug: newName('model') }
  const client = createHubClient({ url: on.running.url, token: key })
  await pushFolder(client, repo, folder, { cacheDir: join(base, 'cache'), kind: 'model', visibility: 'private' })
  return `${repo.owner}/${repo.slug}`
}
const model = (files: Files = { 'policy.onnx': policy, 'contract.json': contract }) =>
  pushed(hub, ada, deviceKey, files)

async function registered(on: Hub, person: Person): Promise<string> {
  const register = 'mutation ($input: RegisterDeviceInput!) { registerDevice(input: $input) { device { id } } }'
  return (await on.graphql(person, register, { input: { name: newName('arm') } })).data.registerDevice.device.id
}

const endpoint = async (name: string, change: object = {}): Promise<Json> => {
  const made = await hub.call(serverKey, 'POST', '/v1/endpoints', { model_repo: name, ...change })
  expect([made.status, made.json.errors]).toEqual([201, undefined])
  return made.json
}
const get = async (id: string): Promise<Json> => (await hub.call(ada, 'GET', `/v1/endpoints/${id}`)).json

async function approval(on: Hub, person: Person, endpointId: string, deviceId: string): Promise<string> {
  const mint = 'mutation ($input: ApproveEndpointSessionInput!) { approveEndpointSession(input: $input) { token } }'
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const minted = await on.graphql(person, mint, { input: { endpointId, deviceId, expiresAt } })
  return minted.data.approveEndpointSession.token
}

async function opened(id: string): Promise<Json> {
  const body = { device_id: device, approval_token: await approval(hub, ada, id, device) }
  const answer = await hub.call(deviceKey, 'POST', `/v1/endpoints/${id}/sessions`, body)
  expect([answer.status, answer.json.errors]).toEqual([201, undefined])
  return answer.json
}
const sessions = async (id: string): Promise<Json[]> =>
  (await hub.call(ada, 'GET', `/v1/endpoints/${id}/sessions`)).json.items

interface Server {
  /** `host:port` at which it listens; its URL has a path. */
  readonly address: string
  readonly ended: Promise<CommandEnded>
  stop(): void
}

async function server(args: readonly string[], change: Readonly<Record<string, string>> = {}): Promise<Server> {
  const address = `127.0.0.1:${await freePort()}`
  const timing = { reportMs: 50, reportWaitMs: 100_000, keysMs: 1_000, unknownKeyMs: 100, runMs: 100_000 }
  const register = (program: Command, io: ClientIo) => registerPolicyServerCommand(program, io, timing)
  const all = [
    'policy-server',
    ...args,
    '--listen',
    address,
    '--public-url',
    `ws://${address}/policy`,
    '--json',
    '--name',
    'box',
  ]
  const env = { PATH: process.env.PATH ?? '', HUB_URL: hub.running.url, HUB_TOKEN: serverKey, HOME: base, ...change }
  const ready = Promise.withResolvers<() => void>()
  const ended = runCommandLine(register, all, env, (stop) => ready.resolve(stop))
  const stop = await ready.promise
  return { address, ended, stop }
}

describe('hub policy-server', () => {
  it('serves a pinned model to an approved device, and ends when it is asked to stop', async () => {
    const { id, model_sha256: digest } = await endpoint(await model())
    expect(digest).toBe(sha256Of(policy))
    const { ended } = await server(['--endpoint', id])
    await until(async () => (await get(id)).status === 'running')
    expect(await get(id)).toMatchObject({ claimed_by: 'box', url: expect.stringMatching(/^ws:.*\/policy$/) })
    const { session, session_token: token, url } = await opened(id)
    const link = await connect(url.slice('ws://'.length).replace('/policy', ''), { api_key: token })
    expect(link.metadata).toMatchObject({
      endpoint_id: id,
      model_sha256: digest,
      contract_fingerprint: 'e'.repeat(64),
      session_id: session.id,
    })
    for (const obs of [
      [1, 2, 3],
      [-1, 0, 1],
    ])
      expect((await link.ask({ obs })).actions).toEqual(actionsFor(obs))
    await until(async () => (await get(id)).chunks_served === 2)
    expect(await get(id)).toMatchObject({ sessions_open: 1, sessions_total: 1, service_ms_p95: expect.any(Number) })

    expect((await hub.call(ada, 'DELETE', `/v1/endpoints/${id}`)).status).toBe(202)
    expect(await link.ended()).toEqual({ code: 1001, reason: 'stopped' })
    const { code, out } = await ended
    expect([code, JSON.parse(out)]).toEqual([0, { endpoint: id, status: 'stopped', error: null, chunks_served: 2 }])
    expect(await get(id)).toMatchObject({ status: 'stopped', cost_usd: 0, sessions_open: 0 })
    expect(await sessions(id)).toMatchObject([
      { id: session.id, status: 'closed', closed_reason: 'stopped', chunks_served: 2, priced: false, cost_usd: 0 },
    ])
  })

  it('lets nobody in whose session the hub has closed, or with the token of another endpoint', async () => {
    const name = await model()
    const [one, two] = [await endpoint(name), await endpoint(name)]
    const first = await server(['--endpoint', one.id])
    const second = await server(['--endpoint', two.id])
    await until(async () => (await get(one.id)).status === 'running' && (await get(two.id)).status === 'running')
    const { session, session_token: token } = await opened(one.id)
    expect(await statusOf(second.address, { api_key: token })).toBe(401)
    const link = await connect(first.address, { api_key: token })
    const path = `/v1/endpoints/${one.id}/sessions/${session.id}/report`
    expect((await hub.call(deviceKey, 'POST', path, { closed: true, closed_reason: 'local_cap' })).status).toBe(200)
    expect(await link.ended()).toEqual({ code: 1008, reason: 'closed' })
    expect(await statusOf(first.address, { api_key: token })).toBe(401)
    for (const running of [first, second]) running.stop()
    expect((await Promise.all([first.ended, second.ended])).map(({ code }) => code)).toEqual([0, 0])
    expect((await get(one.id)).status).toBe('stopped')
  })

  it('claims nothing whose bytes are not the pinned ones', async () => {
    const name = await model()
    const { id } = await endpoint(name)
    await hub.upload(ada, name, { 'policy.onnx': 'other bytes' })
    const { code, err } = await (await server(['--endpoint', id])).ended
    expect([code, err]).toEqual([1, expect.stringMatching(/is pinned to .* has other bytes now/)])
    expect((await get(id)).status).toBe('queued')
  })

  it('takes the oldest endpoint that it can serve, past those that it cannot', async () => {
    const files = {
      'manifest.json': JSON.stringify({ policy_format: 'vla-lib', control_class: 'planner', params: 39 }),
    }
    const unservable = await endpoint(await model({ ...files, 'policy/w.bin': 'weights' }))
    const checkpoint = { ...files, 'policy/model.onnx': policy, 'policy/config.json': '{}' }
    const wanted = await endpoint(await model(checkpoint))
    const later = await endpoint(await model())
    const { ended, stop } = await server(['--any'])
    await until(async () => (await get(wanted.id)).status === 'running')
    const lines = Object.entries(checkpoint).map(([path, content]) => ({ path, sha256: sha256Of(content) }))
    expect(wanted.model_sha256).toBe(checkpointDigest(lines))
    stop()
    const { out, err } = await ended
    expect(JSON.parse(out)).toMatchObject({ endpoint: wanted.id, status: 'stopped' })
    expect(err).toMatch(new RegExp(`${unservable.id} is passed over: .* 0 ONNX files`))
    expect((await get(later.id)).status).toBe('queued')
    for (const { id } of [unservable, later]) await hub.call(ada, 'DELETE', `/v1/endpoints/${id}`)
  })

  it.each([
    [['--endpoint', 'ep_x', '--any'], 2, /either --endpoint ID or --any/],
    [[], 2, /either --endpoint ID or --any/],
    [['--endpoint', 'ep_01h2xcejqtf2nbrexx3vqjhp41'], 4, /ep_01h2xcejqtf2nbrexx3vqjhp41/],
  ])('exits for %j with %d', async (args, code, reason) => {
    const ended = await (await server(args)).ended
    expect([ended.code, ended.err]).toEqual([code, expect.stringMatching(reason)])
  })
})

const hostedAddress = `127.0.0.1:${await freePort()}`

describe('a hosted endpoint', () => {
  const command = join(import.meta.dirname, '../../src/operator/hub.ts')
  const hosted = contractHub({
    ...reachingCheckout,
    HOSTED_APP_NAME: 'app',
    HOSTED_OWNERS: '*',
    HOSTED_COMMAND: `exec "${process.execPath}" "${command}" policy-server --work work --listen ${hostedAddress} --public-url wss://robots.example/policy`,
  })

  it('is served by the command that the hub starts, and each session costs its seconds at the rate of the tier', async () => {
    const person = await hosted.person()
    const key = await hosted.key(person, { scope: 'train' })
    const name = await pushed(hosted, person, key, { 'policy.onnx': policy, 'contract.json': contract })
    const made = await hosted.call(key, 'POST', '/v1/endpoints', {
      model_repo: name,
      executor: 'hosted',
      max_hours: 1,
    })
    expect([made.status, made.json.errors]).toEqual([201, undefined])
    const { id } = made.json
    const read = async () => (await hosted.call(person, 'GET', `/v1/endpoints/${id}`)).json
    await until(async () => (await read()).status === 'running')
    expect(await read()).toMatchObject({
      url: 'wss://robots.example/policy',
      priced: true,
      tier: 'l4',
      rate_usd_per_hour: 0.7992,
    })
    const arm = await registered(hosted, person)
    // Together they cost no more than the time since the claim, and each is rounded by itself: up to 0.0001, or 0.45 s.
    await until(async () => Date.now() - Date.parse((await read()).claimed_at) > 1000)
    const links = await Promise.all(
      [1, 2].map(async () => {
        const body = { device_id: arm, approval_token: await approval(hosted, person, id, arm) }
        const { session_token: token } = (await hosted.call(key, 'POST', `/v1/endpoints/${id}/sessions`, body)).json
        return connect(hostedAddress, { api_key: token })
      }),
    )
    for (const link of links) expect((await link.ask({ obs: [1, 2, 3] })).actions).toEqual(actionsFor([1, 2, 3]))
    // Less than 0.23 s would cost 0.0000.
    const metered = async () => (await hosted.call(person, 'GET', `/v1/endpoints/${id}/sessions`)).json.items
    await until(async () => (await metered()).every(({ gpu_seconds: used }: Json) => used > 0.3))
    await hosted.call(person, 'DELETE', `/v1/endpoints/${id}`)
    await until(async () => (await read()).status === 'stopped')
    const rows = await hosted.sql<{ seconds: string; amount: string }>(
      `select seconds::text, amount_usd::text as amount from ledger
        where job_id in (select id from endpoint_sessions where endpoint_id = $1)`,
      [id],
    )
    expect(rows).toHaveLength(2)
    expect(rows.map(({ amount }) => amount)).toEqual(rows.map(({ seconds }) => costOfSeconds('0.7992', seconds)))
    expect(Math.min(...rows.map(({ amount }) => Number(amount)))).toBeGreaterThan(0)
    const { cost_usd: cost, gpu_seconds: seconds } = await read()
    expect(cost).toBe(Number(usdSum(...rows.map(({ amount }) => amount))))
    expect(seconds).toBeCloseTo(
      rows.reduce((sum, row) => sum + Number(row.seconds), 0),
      3,
    )
  })
})
