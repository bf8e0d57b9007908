/**
 * The endpoint of the demo: a policy is pinned and served by a server of its own, and a device that a person approved
 * sends observations and gets actions.
 */
import { on, once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type HubClient, pushFolder } from '@hub/client/internal'
import { WebSocket } from 'ws'
import type { ThrowawayHub } from './throwaway-hub.ts'
import { startWorker } from './worker-process.ts'

type Say = (line: string) => void
type Answer = ReturnType<typeof JSON.parse>

const sample = fileURLToPath(new URL('../../examples/policy', import.meta.url))
const OBSERVATIONS = [
  [0.1, -0.2, 0.3],
  [0.2, -0.1, 0.2],
  [0.3, 0, 0.1],
]

interface ServeChapter {
  readonly hub: ThrowawayHub
  readonly client: HubClient
  /** Of the server, which claims; and of the device, which opens a session. */
  readonly serverToken: string
  readonly deviceToken: string
  /** Of the person who approves: no key can. */
  readonly personToken: string
  readonly owner: string
  readonly cacheDir: string
  readonly say: Say
}

/** Rejects if a step ends otherwise than it should. */
export async function serveAndMove(chapter: ServeChapter): Promise<void> {
  const { hub, client, serverToken, deviceToken, personToken, owner, cacheDir, say } = chapter
  const { repo } = await pushFolder(client, { owner, slug: 'reach' }, sample, {
    cacheDir,
    kind: 'model',
    visibility: 'private',
  })
  const post = asCaller(hub.url)
  const endpoint = await post(serverToken, '/v1/endpoints', { model_repo: repo, owner })
  say(
    `  ${endpoint.id}: ${repo}, pinned to ${endpoint.model_sha256.slice(0, 12)}, ${endpoint.params} parameters, fits on ${endpoint.tier}`,
  )
  const port = await freePort()
  const args = [
    '--endpoint',
    endpoint.id,
    '--listen',
    `127.0.0.1:${port}`,
    '--public-url',
    `ws://127.0.0.1:${port}/policy`,
  ]
  const server = startWorker(hub, serverToken, ['policy-server', ...args, '--name', 'demo'])
  try {
    await until(
      async () => (await client.endpoints.get(endpoint.id)).status === 'running',
      'The server did not claim it.',
    )
    say(`  claimed: devices are told ws://127.0.0.1:${port}/policy`)
    const approved = await approve(hub.url, personToken, owner, endpoint.id)
    const opened = await post(deviceToken, `/v1/endpoints/${endpoint.id}/sessions`, {
      device_id: approved.device,
      approval_token: approved.token,
    })
    say(`  ada approved the device ${approved.device}; ${opened.session.id} is open until ${opened.expires_at}`)
    await refused(opened.url, `${opened.session_token.slice(0, -4)}AAAA`)
    say('  a token with another signature: 401 before the websocket opens')
    await move(opened.url, opened.session_token, say)
    await refusedSoon(opened.url, opened.session_token)
    say('  the same token once more: 401, its session is closed')
  } finally {
    await fetch(`${hub.url}/v1/endpoints/${endpoint.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${serverToken}` },
    })
    await Promise.race([server.ended, delay(30_000, undefined, { ref: false })])
    server.stop()
  }
  await showEnd(hub.url, serverToken, endpoint.id, say)
}

/** Sends each observation and waits for its actions, as a device does. Rejects where an action is not the policy's. */
export async function move(url: string, token: string, say: Say): Promise<void> {
  const socket = new WebSocket(url, ['policy.json'], { headers: { api_key: token } })
  const frames: AsyncIterator<unknown[]> = on(socket, 'message')[Symbol.asyncIterator]()
  const next = async (): Promise<Answer> => JSON.parse(String((await frames.next()).value[0]))
  const metadata = await next()
  for (const { name, type, shape } of [...metadata.inputs, ...metadata.outputs]) say(`  ${name} ${type}[${shape}]`)
  for (const obs of OBSERVATIONS) {
    socket.send(JSON.stringify({ obs }))
    const { actions, server_timing: timing } = await next()
    const [first] = actions as number[][]
    const expected = obs.map((value) => value / 10)
    if (!first?.every((value, joint) => Math.abs(value - (expected[joint] ?? 0)) < 1e-6))
      throw new Error(`The actions are ${JSON.stringify(actions)}.`)
    say(
      `  [${obs}] -> ${actions.length} actions, the first [${first.map((value) => value.toFixed(2))}], in ${timing.infer_ms.toFixed(2)} ms`,
    )
  }
  socket.close(1000)
  await once(socket, 'close')
}

/** Rejects unless the server answers 401. */
async function refused(url: string, token: string): Promise<void> {
  const socket = new WebSocket(url, ['policy.json'], { headers: { api_key: token } })
  const status = await new Promise<number>((resolve) => {
    socket.once('unexpected-response', (_request, response) => {
      response.destroy()
      resolve(response.statusCode ?? 0)
    })
    socket.once('open', () => resolve(101))
    socket.on('error', () => {})
  })
  socket.terminate()
  if (status !== 401) throw new Error(`The server answered ${status}.`)
}

/** The server may not have seen the end of the link yet. */
const refusedSoon = (url: string, token: string) =>
  until(
    () =>
      refused(url, token).then(
        () => true,
        () => false,
      ),
    'A closed session came back.',
  )

async function approve(
  url: string,
  token: string,
  owner: string,
  endpoint: string,
): Promise<{ device: string; token: string }> {
  const ask = async (query: string, input: object): Promise<Answer> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables: { input } }),
    })
    const { data, errors } = (await response.json()) as Answer
    if (errors) throw new Error(JSON.stringify(errors))
    return data
  }
  const register = 'mutation ($input: RegisterDeviceInput!) { registerDevice(input: $input) { device { id } } }'
  const { id: device } = (await ask(register, { owner, name: 'bench arm' })).registerDevice.device
  const mint = 'mutation ($input: ApproveEndpointSessionInput!) { approveEndpointSession(input: $input) { token } }'
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const minted = (await ask(mint, { endpointId: endpoint, deviceId: device, expiresAt })).approveEndpointSession
  return { device, token: minted.token }
}

async function showEnd(url: string, token: string, id: string, say: Say): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const endpoint = (await (await fetch(`${url}/v1/endpoints/${id}`, { headers })).json()) as Answer
  const { items } = (await (await fetch(`${url}/v1/endpoints/${id}/sessions`, { headers })).json()) as Answer
  if (endpoint.status !== 'stopped') throw new Error(`The endpoint is ${endpoint.status}: ${endpoint.error}`)
  for (const { chunks_served: chunks, gpu_seconds: seconds, closed_reason: reason } of items)
    say(
      `  ${endpoint.status}: ${chunks} chunks, ${seconds} s of the model, session ${reason}; a worker's endpoint costs ${endpoint.cost_usd}`,
    )
  if (items.length !== 1 || items[0].chunks_served !== OBSERVATIONS.length)
    throw new Error(`The sessions are ${JSON.stringify(items)}.`)
}

const asCaller =
  (url: string) =>
  async (token: string, path: string, body: object): Promise<Answer> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return await response.json()
  }

async function until(holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  const endMs = performance.now() + 30_000
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(otherwise)
    await delay(50)
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
