// @module-tag full
// @module-tag long
/** A policy server that is killed at any moment continues with its claim when it is started again: one claim, counts that only grow, one end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createHubClient, pushFolder } from '@hub/client/internal'
import { afterAll, describe, expect, it } from 'vitest'
import { connect } from '../../packages/policy-server/test/support/device.ts'
import { until } from '../../packages/policy-server/test/support/listening.ts'
import { smallPolicy } from '../../packages/policy-server/test/support/small-policy.ts'
import { freePort } from '../support/free-port.ts'
import { contractHub, newName } from '../support/hub.ts'

const hub = contractHub()
const root = join(import.meta.dirname, '../..')
const base = await mkdtemp(join(tmpdir(), 'hub-policy-killed-'))
let running: ChildProcess | null = null
afterAll(async () => {
  running?.kill('SIGKILL')
  await rm(base, { recursive: true, force: true })
})

describe('hub policy-server', () => {
  it('survives kills while it claims, serves and reports', { timeout: 300_000 }, async () => {
    const ada = await hub.person()
    const key = await hub.key(ada, { scope: 'train' })
    await writeFile(join(base, 'policy.onnx'), smallPolicy({ control_class: 'skill', params: '39' }))
    const repo = { owner: ada.handle, slug: newName('model') }
    const client = createHubClient({ url: hub.running.url, token: key })
    const cacheDir = join(base, 'cache')
    await pushFolder(client, repo, base, { cacheDir, kind: 'model', visibility: 'private' })
    const asked = { model_repo: `${repo.owner}/${repo.slug}`, onnx_path: 'policy.onnx' }
    const { id } = (await hub.call(key, 'POST', '/v1/endpoints', asked)).json
    const address = `127.0.0.1:${await freePort()}`
    const start = () => {
      const args = ['policy-server', '--endpoint', id, '--listen', address, '--public-url', `ws://${address}/policy`]
      const env = { PATH: process.env.PATH, HOME: base, HUB_URL: hub.running.url, HUB_TOKEN: key }
      running = spawn(process.execPath, ['src/operator/hub.ts', ...args], { cwd: root, env, stdio: 'ignore' })
      return running
    }
    const read = async () => (await hub.call(ada, 'GET', `/v1/endpoints/${id}`)).json
    // Before, while and after it claims.
    for (const ms of [200, 800, 1_400, 2_000, 2_600]) {
      const server = start()
      await pause(ms)
      server.kill('SIGKILL')
      await once(server, 'exit')
    }
    let server = start()
    await until(async () => (await read()).status === 'running')
    const register = 'mutation ($input: RegisterDeviceInput!) { registerDevice(input: $input) { device { id } } }'
    const device = (await hub.graphql(ada, register, { input: { name: newName('arm') } })).data.registerDevice.device.id
    const mint = 'mutation ($input: ApproveEndpointSessionInput!) { approveEndpointSession(input: $input) { token } }'
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const minted = await hub.graphql(ada, mint, { input: { endpointId: id, deviceId: device, expiresAt } })
    const { token: approval } = minted.data.approveEndpointSession
    const body = { device_id: device, approval_token: approval }
    const { session_token: token } = (await hub.call(key, 'POST', `/v1/endpoints/${id}/sessions`, body)).json
    let chunks = 0
    for (let kill = 0; kill < 4; kill += 1) {
      let link: Awaited<ReturnType<typeof connect>> | null = null
      await until(async () => {
        link = await connect(address, { api_key: token }).catch(() => null)
        return link !== null
      })
      const before = chunks
      await until(async () => {
        await link?.ask({ obs: [1, 2, 3] })
        chunks = (await read()).chunks_served
        return chunks > before
      })
      server.kill('SIGKILL')
      await once(server, 'exit')
      expect((await read()).chunks_served).toBeGreaterThanOrEqual(chunks)
      server = start()
    }
    await until(async () => (await connect(address, { api_key: token }).catch(() => null)) !== null)
    await hub.call(ada, 'DELETE', `/v1/endpoints/${id}`)
    const [code] = await once(server, 'exit')
    expect(code).toBe(0)
    expect(await read()).toMatchObject({ status: 'stopped', sessions_total: 1, sessions_open: 0 })
    const claims = await hub.sql(`select 1 from audit_log where target_id = $1 and action = 'endpoint.claim'`, [id])
    expect(claims).toHaveLength(1)
  })
})
