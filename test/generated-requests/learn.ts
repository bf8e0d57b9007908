/** What later requests know from an answer, and what is done on the side so that the deeper operations have something to work on. */

import { goodIntake } from '../checks/support/publishing.ts'
import { goodReport } from '../support/checks.ts'
import { allOperations } from '../support/documented.ts'
import { type contractHub, type Json, newName } from '../support/hub.ts'
import { onnxSha256 } from '../support/hub-endpoints.ts'
import type { Dice } from './dice.ts'
import type { Caller, Lab } from './lab.ts'
import { makeReady, tokenOf } from './ready-work.ts'
import { type Got, type Made, send } from './send.ts'

const MOST_BODIES = 12
const claims = /^(?:claim|start)(?:Next)?(?:Run|RobotCheck|Endpoint)$/
const pathOf = new Map(allOperations.map(({ operation, path }) => [operation.operationId, path]))

export async function learnFrom(lab: Lab, made: Made, got: Got): Promise<void> {
  const { things } = lab
  const etag = got.headers.get('etag')
  if (etag) things.add('etag', etag)
  if (got.status >= 300 || got.json === null) return
  things.learn(got.json)
  const body = bodyOf(made)
  const caller = lab.named(made.caller)
  if (body && made.operation !== 'completeUpload' && (made.body?.length ?? 0) < 4000)
    remember(lab, made.operation, body)
  const id = got.json.id ?? got.json.run?.id ?? got.json.check?.id ?? got.json.endpoint?.id
  if (claims.test(made.operation) && typeof id === 'string') lab.claimers.set(id, caller)
  if (made.operation === 'createSnapshot' && typeof got.json.name === 'string') things.add('snapshot', got.json.name)
  if (made.operation === 'presignUpload') await sendParts(lab, made, got.json, body)
}

const bodyOf = ({ body }: Made): Json => {
  try {
    return typeof body === 'string' ? JSON.parse(body) : null
  } catch {
    return null
  }
}

function remember(lab: Lab, operation: string, body: Json): void {
  const known = lab.goodBodies.get(operation) ?? []
  lab.goodBodies.set(operation, known)
  // The first ones are of the lab.
  if (known.length >= MOST_BODIES) known.splice(5, 1)
  known.push(body)
}

/** Sends the bytes of what was presigned, so that it can be completed. */
async function sendParts(lab: Lab, made: Made, answer: Json, body: Json): Promise<void> {
  const template = pathOf.get(made.operation)?.split('/') ?? []
  const at = made.path.split('/')
  const repo = `${at[template.indexOf('{owner}')]}/${at[template.indexOf('{repo}')]}`
  for (const target of answer.uploads.slice(0, 3)) {
    const file = body?.files.find(({ path }: Json) => path === target.path)
    const content = lab.contents.find(({ sha256 }) => sha256 === file?.sha256)
    if (!content || target.parts.length !== 1) continue
    const url = new URL(target.parts[0].url)
    const sent = await send(lab.url, {
      ...made,
      operation: 'putPart',
      method: 'PUT',
      path: url.pathname,
      query: [...url.searchParams].map(([name, value]) => [name, encodeURIComponent(value)] as const),
      headers: {},
      body: content.text,
    })
    const etag = sent.headers.get('etag')
    if (!etag) continue
    const upload = { path: target.path, upload_id: target.upload_id, parts: [{ part_number: 1, etag }] }
    lab.things.add('sent upload', { repo, caller: lab.named(made.caller), upload })
  }
}

/** A job, and who claimed it. */
export interface Held {
  readonly id: string
  readonly caller: Caller
}

/** Work for the operations that need more than one request before them. Done every so many requests. */
export async function doChores(lab: Lab, hub: ReturnType<typeof contractHub>, dice: Dice): Promise<void> {
  const { things } = lab
  const [owner, runner, agent] = [lab.named('owner'), lab.named('org train key'), lab.named('agent key')]
  const call = async (who: Caller, path: string, body: Json): Promise<Json> => {
    const { json } = await hub.call(tokenOf(who), 'POST', path, body)
    things.learn(json)
    return json
  }
  const graph = async (text: string, input: Json): Promise<Json> =>
    (await hub.graphql(tokenOf(owner), text, { input })).data
  const { org, robot, model } = lab.names
  // Whatever requests have declared of it meanwhile: what nothing is known of is not served.
  await hub.call(tokenOf(owner), 'PUT', `/v1/models/${model}/meta`, { policy_type: 'act', control_class: 'skill' })
  const run = (await call(owner, '/v1/runs', { recipe: { template: 'act' }, owner: org })).id
  if (run && (await call(runner, `/v1/runs/${run}/claim`, { worker: 'box' })).id) hold(lab, 'run', run, runner)
  const check = (await call(owner, '/v1/robot-checks', { ...lab.checkRequest, robot_repo: robot })).id
  if (check && (await call(owner, `/v1/robot-checks/${check}/claim`, { worker: 'box' })).id)
    hold(lab, 'check', check, owner)
  const free = [
    ['run', await call(owner, '/v1/runs', { recipe: { template: 'act' }, owner: org })],
    ['check', await call(owner, '/v1/robot-checks', { ...lab.checkRequest, robot_repo: robot })],
    ['endpoint', await call(owner, '/v1/endpoints', lab.endpointRequest)],
  ] as const
  for (const [kind, { id }] of free) if (id) things.add(`free ${kind}`, id)
  await call(agent, '/v1/runs', { recipe: { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 1 } })

  const served = (await call(owner, '/v1/endpoints', lab.endpointRequest)).id
  const claim = { worker: 'box', url: 'wss://box.example/policy', model_sha256: onnxSha256 }
  const deviceId = things.pick('dev', dice)
  if (served && deviceId && (await call(owner, `/v1/endpoints/${served}/claim`, claim)).id) {
    hold(lab, 'endpoint', served, owner)
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const text =
      'mutation ($input: ApproveEndpointSessionInput!) { approveEndpointSession(input: $input) { token approval { id } } }'
    const minted = (await graph(text, { endpointId: served, deviceId, expiresAt }))?.approveEndpointSession
    const asked = { device_id: deviceId, approval_token: minted?.token }
    const opened = await call(owner, `/v1/endpoints/${served}/sessions`, asked)
    if (minted)
      things.add('approved', { endpointId: served, deviceId, token: minted.token, approvalId: minted.approval.id })
    if (opened.session) things.add('open session', { endpointId: served, sessionId: opened.session.id })
  }

  const ended = (await call(owner, '/v1/robot-checks', { ...lab.modelCheckRequest })).id
  const worker = lab.named('write key')
  if (ended) {
    await call(worker, `/v1/robot-checks/${ended}/claim`, { worker: 'box' })
    const done = { status: 'succeeded', report: goodReport, intake: goodIntake }
    if ((await call(worker, `/v1/robot-checks/${ended}/report`, done)).id) things.add('publishable', ended)
  }

  const spare = await call(owner, '/v1/repos', { kind: 'dataset', slug: newName('spare') })
  if (spare.full_name) {
    await hub.upload(tokenOf(owner), spare.full_name, { 'a.txt': 'a' })
    const name = newName('s')
    await call(owner, `/v1/repos/${spare.full_name}/snapshots`, { name })
    things.add('spare repo', spare.full_name)
    things.add('made snapshot', { repo: spare.full_name, name })
    const upload = await hub.sendFile(tokenOf(owner), spare.full_name, `b${dice.below(1000)}.txt`, 'b')
    things.add('sent upload', { repo: spare.full_name, caller: owner, upload })
  }

  for (const isApproved of [true, false]) {
    const login = (await hub.call(null, 'POST', '/v1/auth/device', { name: 'laptop' })).json
    if (!login.user_code) continue
    const text = 'mutation ($input: ApproveDeviceLoginInput!) { approveDeviceLogin(input: $input) { __typename } }'
    if (isApproved) await graph(text, { userCode: login.user_code })
    things.add(isApproved ? 'approved code' : 'open code', isApproved ? login.device_code : login.user_code)
  }
  const text = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key { id } } }'
  const key = (await graph(text, { name: 'spare', scope: 'READ' }))?.createApiKey?.key.id
  if (key) things.add('made key', key)
  await lab.signInAgain()
  await makeReady(lab, hub)
}

function hold(lab: Lab, kind: 'run' | 'check' | 'endpoint', id: string, caller: Caller): void {
  lab.claimers.set(id, caller)
  lab.things.add(`held ${kind}`, { id, caller } satisfies Held)
}
