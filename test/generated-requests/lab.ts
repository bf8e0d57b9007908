/** A hub with something of everything in it, and every kind of caller that it knows. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { checksOf, goodReport } from '../support/checks.ts'
import { type contractHub, type Json, newName, type Person, sha256Of } from '../support/hub.ts'
import { endpointsOf, manifest, onnxBytes, onnxSha256 } from '../support/hub-endpoints.ts'
import { sessionWorld } from '../support/sessions.ts'
import type { Dice } from './dice.ts'
import { Things } from './things.ts'

/** Who sends a request. `headers` are all that it says of itself. */
export interface Caller {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
}

interface Content {
  readonly text: string
  readonly size: number
  readonly sha256: string
}

/** A part that was sent, as `complete` takes it, and where to. */
export interface SentUpload {
  readonly repo: string
  readonly caller: Caller
  readonly upload: Json
}

export interface Lab {
  readonly url: string
  readonly callers: readonly Caller[]
  readonly things: Things
  readonly contents: readonly Content[]
  /** Who claimed a job, by its id: nobody else may report for it. */
  readonly claimers: Map<string, Caller>
  /** Bodies that an operation has accepted: later requests change them a little. */
  readonly goodBodies: Map<string, Json[]>
  /** Things of a person who is none of the callers, by the names of parameters: to every caller they are as if they were not. */
  readonly hidden: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  /** What was done on the side: the subjects of `ready-work.ts`, by turns. */
  readonly turns: { ready: number }
  readonly names: Readonly<Record<'owner' | 'org' | 'model' | 'robot' | 'joiner', string>>
  readonly checkRequest: Json
  /** Id of the session by which that caller comes. */
  readonly leaverSession: string
  readonly modelCheckRequest: Json
  readonly endpointRequest: Json
  /** A card that is accepted. */
  readonly card: Json
  /** One more session of the caller that ends sessions. */
  signInAgain(): Promise<void>
  caller(dice: Dice): Caller
  named(name: string): Caller
}

const content = (text: string): Content => ({ text, size: Buffer.byteLength(text), sha256: sha256Of(text) })
/** The id of its session, which a token says. */
const sessionOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Half of the requests come from someone who can do nearly everything, or nothing would ever succeed. */
const weights: Readonly<Record<string, number>> = {
  owner: 22,
  'train key': 16,
  'org train key': 12,
  'write key': 8,
  member: 8,
}

export async function makeLab(hub: ReturnType<typeof contractHub>, url: string): Promise<Lab> {
  const [ada, bob, eve] = [await hub.person(), await hub.person(), await hub.person()]
  const [{ id: operatorId } = { id: '' }] = await hub.sql<{ id: string }>(
    "select id from accounts where handle = 'hub'",
  )
  const [joiner, leaver] = [await hub.person(), await hub.person()]
  const operator = await hub.signIn({ id: operatorId, handle: 'hub', token: '' })
  const org = await hub.org([
    { user: ada.handle, role: 'owner' },
    { user: bob.handle, role: 'member' },
  ])
  const things = new Things()
  const goodBodies = new Map<string, Json[]>()
  const claimers = new Map<string, Caller>()
  const ok = async (asked: ReturnType<typeof hub.call>): Promise<Json> => {
    const { status, json } = await asked
    expect([status, json?.errors]).toEqual([expect.toBeOneOf([200, 201, 202]), undefined])
    things.learn(json)
    return json
  }
  const good = (operation: string, ...bodies: Json[]) => goodBodies.set(operation, bodies)

  const closed = await hub.repo(ada, { slug: newName('closed') })
  const data = await hub.repo(ada, { owner: org, visibility: 'public', tags: ['walk', 'real'], description: 'd' })
  const robot = await hub.repo(ada, { kind: 'robot', owner: org })
  const ownRobot = await hub.repo(ada, { kind: 'robot', visibility: 'public' })
  const eveData = await hub.repo(eve)
  const checks = checksOf(hub)
  const endpoints = endpointsOf(hub)
  const model = await endpoints.model(ada, {
    'policy.onnx': onnxBytes,
    'policy/manifest.json': manifest(),
    'checkpoints/step_100/model.safetensors': 'x',
  })
  const info = JSON.stringify({ codebase_version: 'v2.1', total_episodes: 3, total_frames: 90, fps: 30 })
  await hub.upload(ada, closed, { 'a.txt': 'a', 'meta/info.json': info })
  await hub.upload(ada, data, { 'a.txt': 'a', 'data/b.bin': 'b', 'data/c.bin': 'c' })
  await hub.upload(ada, data, { 'a.txt': 'another' })
  for (const name of [robot, ownRobot])
    await hub.upload(ada, name, { 'arm.xml': '<mujoco/>', 'other.xml': '<mujoco/>' })
  for (const name of [closed, data, robot, ownRobot, model, eveData])
    await ok(
      hub
        .call(ada, 'GET', `/v1/repos/${name}`)
        .then((answer) => (answer.status === 404 ? hub.call(eve, 'GET', `/v1/repos/${name}`) : answer)),
    )
  for (const name of [data, closed])
    await ok(hub.call(ada, 'POST', `/v1/repos/${name}/snapshots`, { name: 'first', note: 'n' }))
  things.add('snapshot', 'first')
  things.add('path', 'a.txt', 'data/b.bin', 'meta/info.json', 'arm.xml', 'policy.onnx')
  things.add('handle', ada.handle, bob.handle, org, eve.handle)
  const card = { dof: 2, actuators: [{ name: 'm1', model: 'x', count: 1 }], limits: {}, mjcf_path: 'arm.xml' }
  await ok(hub.call(ada, 'PUT', `/v1/robots/${ownRobot}/card`, card))

  const ended = await hub.signIn(ada)
  const key = (owner: string | Person, change: Parameters<typeof hub.key>[1]) => hub.key(owner, change)
  const tokens: Record<string, string> = {
    owner: ada.token,
    member: bob.token,
    stranger: eve.token,
    operator: operator.token,
    leaver: leaver.token,
    'write key': await key(ada, { scope: 'write' }),
    'read key': await key(ada, { scope: 'read' }),
    'train key': await key(ada, { scope: 'train' }),
    'agent key': await key(ada, { scope: 'train', agent: true }),
    'member agent key': await key(bob, { scope: 'train', agent: true }),
    'org train key': await key(org, { scope: 'train' }),
    'org read key': await key(org, { scope: 'read' }),
    'key of one repo': await key(org, { scope: 'train', repos: [data] }),
    'key of few GPU hours': await key(ada, { scope: 'train', dailyGpuHourQuota: 0.1 }),
    "stranger's key": await key(eve, { scope: 'train' }),
    'expired key': await key(ada, { scope: 'train' }),
    'revoked key': await key(ada, { scope: 'train' }),
    'ended session': ended.token,
  }
  const ofToken = (name: string) => `token_sha256 = sha256('${tokens[name]}')`
  await hub.sql(`update api_keys set expires_at = now() - interval '1 hour' where ${ofToken('expired key')}`)
  await hub.sql(`update api_keys set revoked_at = now() where ${ofToken('revoked key')}`)
  const end = 'mutation ($id: ID!) { endSession(input: { id: $id }) { session { revokedAt } } }'
  expect((await hub.graphql(ended.token, end, { id: ended.id })).errors).toBeUndefined()

  const world = sessionWorld(hub)
  const runBody = (change: Json = {}) => ({
    recipe: { template: 'act', dataset: [`svc://${data}`], ...change },
    owner: org,
  })
  const asTrain = tokens['org train key'] as string
  const runs: string[] = []
  for (let at = 0; at < 4; at += 1) runs.push((await ok(hub.call(ada, 'POST', '/v1/runs', runBody()))).id)
  await ok(hub.call(asTrain, 'POST', `/v1/runs/${runs[0]}/claim`, { worker: 'box' }))
  const report = {
    log_chunk: 'one\ntwo\n',
    config_yaml: 'lr: 1\n',
    metrics: [
      { step: 1, reward: 2 },
      { step: 2, reward: 3 },
    ],
  }
  await ok(hub.call(asTrain, 'POST', `/v1/runs/${runs[0]}/report`, report))
  const gate = { step: 1, cells: [{ name: 'c', status: 'PASS', detail: 'd' }], seeds_alive: 1, seeds_run: 1 }
  await ok(hub.call(asTrain, 'POST', `/v1/runs/${runs[0]}/gate-results`, { results: [gate] }))
  const checkOf = async (who: Person, name: string): Promise<string> =>
    (await ok(hub.call(who, 'POST', '/v1/robot-checks', { ...checks.request(name), executor: 'worker' }))).id
  const check = await checkOf(ada, robot)
  const claimedCheck = await checkOf(ada, ownRobot)
  await ok(hub.call(ada, 'POST', `/v1/robot-checks/${claimedCheck}/claim`, { worker: 'box' }))
  const log = 'a line\nanother\n'
  await ok(hub.call(ada, 'POST', `/v1/robot-checks/${claimedCheck}/report`, { log_chunk: log }))
  const endpoint = await endpoints.claimed(ada, model)
  const idle = (await endpoints.queued(ada, model)).id
  const device = await world.device(ada)
  const approval = await world.approve(ada, endpoint, device)
  const opened = await world.open(ada, endpoint, { device_id: device, approval_token: approval.token })
  things.learn(opened.json)
  for (const [kind, id] of [
    ['check', check],
    ['check', claimedCheck],
    ['ep', endpoint],
    ['ep', idle],
    ['dev', device],
    ['appr', approval.id],
  ])
    things.add(kind as string, id)
  things.add('approval token', approval.token)
  tokens['approval token'] = approval.token
  tokens['session token of a device'] = opened.json.session_token

  const callers: Caller[] = [
    { name: 'anonymous', headers: {} },
    ...Object.entries(tokens).map(([name, token]) => ({
      name,
      headers: bearer(token),
    })),
    { name: 'cookie', headers: { cookie: `hub_session=${ada.token}` } },
    { name: 'cookie of another site', headers: { cookie: `hub_session=${ada.token}`, origin: 'https://evil.example' } },
    { name: 'broken cookie', headers: { cookie: 'hub_session=%00; a="b' } },
    { name: 'unknown key', headers: bearer(`hub_key_${'a'.repeat(43)}`) },
    { name: 'no token', headers: { authorization: 'Bearer ' } },
    { name: 'two tokens', headers: bearer('a b') },
    { name: 'basic', headers: { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` } },
    { name: 'long token', headers: bearer('x'.repeat(8000)) },
    { name: 'odd token', headers: bearer('\u00e9\u00ff') },
    {
      name: 'JWT of nobody',
      headers: bearer(`${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`),
    },
  ]
  const named = (name: string) => callers.find((caller) => caller.name === name) as Caller
  claimers.set(runs[0] as string, named('org train key'))
  claimers.set(claimedCheck, named('owner'))
  claimers.set(endpoint, named('owner'))

  const checkBody = { ...checks.request(robot), executor: 'worker' }
  const worker = { worker: 'box' }
  good(
    'createRun',
    runBody(),
    runBody({ executor: 'hosted', gpu: 'l4', max_hours: 1 }),
    { recipe: { template: 'act', robot, hyperparams: { lr: 0.1 } } },
    runBody({ gate: { every_steps: 100, tripwires: [{ metric: 'pass_rate', op: '<', threshold: 0.5 }] } }),
  )
  good('estimateRun', runBody(), runBody({ executor: 'hosted', gpu: 'l4' }))
  good('recommendRun', runBody(), { recipe: { template: 'act' } })
  good('startRun', { ...runBody(), ...worker })
  good('importRun', {
    artifacts: { config_yaml: 'a: 1\n', metrics_summary: '{"a":1}', scorecard_json: { cells: [{ status: 'PASS' }] } },
    owner: org,
  })
  good('claimRun', worker)
  good('claimNextRun', { ...worker, wait_s: 0 }, { ...worker, owner: org })
  good('claimNextRobotCheck', { ...worker, wait_s: 0 })
  good('claimRobotCheck', worker)
  good('claimEndpoint', { ...worker, url: endpoints.url, model_sha256: onnxSha256 })
  good(
    'reportRun',
    report,
    { status: 'succeeded' },
    { status: 'failed', error: 'e' },
    { progress: { iteration: 1, total_iterations: 10 } },
    { output_model_repo: model },
  )
  good('recordGateResults', { results: [gate] }, gate)
  good(
    'createRobotCheck',
    checkBody,
    { ...checkBody, executor: 'hosted' },
    { kind: 'model', model: { repo: model }, entry: 'policy.onnx' },
  )
  good(
    'reportRobotCheck',
    { log_chunk: log },
    { status: 'succeeded', report: goodReport },
    { status: 'failed', error: 'e' },
    {
      report: goodReport,
      draft: { mjcf_path: 'arm.xml', source: 's', model: {}, conversion: {} },
      status: 'succeeded',
    },
  )
  good('presignRobotCheckArtifacts', {
    files: [{ name: 'robot_card.json', size: 2, content_type: 'application/json' }],
  })
  good('publishRobotCheck', {}, { visibility: 'private' })
  good(
    'createEndpoint',
    { model_repo: model, params: 1_000_000 },
    { model_repo: model, executor: 'hosted', max_hours: 1, params: 1_000_000 },
  )
  good(
    'estimateEndpoint',
    { model_repo: model, params: 1_000_000 },
    { model_repo: model, executor: 'hosted', hours: 1, params: 1_000_000 },
  )
  good('reportEndpoint', {}, { status: 'running', log_chunk: 'l' }, { status: 'stopped' })
  good('reportEndpointSession', { chunks_applied: 4, rtt_ms_p50: 1.5 }, { closed: true, closed_reason: 'stopped' })
  good('putRobotCard', card, { ...card, description_md: '# x', mass_kg: 1.5 })
  good('validateRobotCard', { card }, {})
  good('setSpendCap', { account: org, usd: 1000, mode: 'notify' }, { usd: null })
  good('restoreState', { at: '1' }, { at: 'first' })
  good('presignDownload', { paths: ['a.txt'] }, { paths: ['a.txt'], at: 'first' })
  good('createSnapshot', { name: 'second' })
  good('startDeviceLogin', { name: 'laptop' })
  good('createApiKey', { name: 'k', scope: 'read' }, { name: 'k', scope: 'train', agent: true, owner: org })
  good('registerDevice', { name: 'arm 7' })
  good('createOrg', { name: 'An org' })
  good('addOrgMember', { role: 'member' })
  good('denySpendHold', { reason: 'no' })

  // A hold of each state to decide about: hosted work by an agent.
  const hosted = { recipe: { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 1 } }
  for (let at = 0; at < 3; at += 1) await ok(hub.call(tokens['agent key'] ?? '', 'POST', '/v1/runs', hosted))
  things.keep()

  const contents = ['', 'x', 'hello\n', info, '<mujoco/>', createHash('sha512').update('bytes').digest('hex')].map(
    content,
  )
  const zoe = await hub.person()
  const [hiddenRobot, hiddenModel] = [await checks.robot(zoe), await endpoints.model(zoe)]
  const hiddenCheck = (
    await hub.call(zoe, 'POST', '/v1/robot-checks', { ...checks.request(hiddenRobot), executor: 'worker' })
  ).json.id
  const hiddenRun = (await hub.call(zoe, 'POST', '/v1/runs', { recipe: { template: 'act' } })).json.id
  const hiddenHold = (await hub.call(await key(zoe, { scope: 'train', agent: true }), 'POST', '/v1/runs', hosted)).json
    .id
  return {
    url,
    callers,
    things,
    contents,
    claimers,
    goodBodies,
    hidden: {
      owner: zoe.handle,
      repo: hiddenRobot.split('/')[1] as string,
      run_id: hiddenRun,
      check_id: hiddenCheck,
      endpoint_id: await endpoints.claimed(zoe, hiddenModel),
      hold_id: hiddenHold,
    },
    secrets: Object.values(tokens),
    turns: { ready: 0 },
    names: { owner: ada.handle, org, model, robot: ownRobot, joiner: joiner.handle },
    leaverSession: sessionOf(leaver.token),
    checkRequest: { ...checks.request(ownRobot), executor: 'worker' },
    card,
    endpointRequest: { model_repo: model, params: 1_000_000 },
    modelCheckRequest: { kind: 'model', model: { repo: model }, entry: 'policy.onnx', executor: 'worker' },
    async signInAgain() {
      const session = await hub.signIn(leaver)
      things.add('session to end', sessionOf(session.token))
    },
    caller: (dice) => dice.weighted(callers.map((caller) => [weights[caller.name] ?? 2, caller] as const)),
    named,
  }
}

/** A lab with nothing in it but its callers: making more would itself be over the limits. */
export async function makeEmptyLab(hub: ReturnType<typeof contractHub>, url: string): Promise<Lab> {
  const ada = await hub.person()
  const tokens = {
    owner: ada.token,
    'write key': await hub.key(ada),
    'train key': await hub.key(ada, { scope: 'train' }),
  }
  const callers: Caller[] = [
    { name: 'anonymous', headers: {} },
    ...Object.entries(tokens).map(([name, token]) => ({ name, headers: bearer(token) })),
  ]
  return {
    url,
    callers,
    things: new Things(),
    contents: [content('x')],
    claimers: new Map(),
    goodBodies: new Map(),
    hidden: {},
    secrets: Object.values(tokens),
    turns: { ready: 0 },
    names: { owner: ada.handle, org: ada.handle, model: 'nobody/model', robot: 'nobody/robot', joiner: ada.handle },
    leaverSession: '',
    checkRequest: {},
    modelCheckRequest: {},
    endpointRequest: {},
    card: {},
    signInAgain: async () => undefined,
    caller: (dice) => dice.pick(callers),
    named: (name) => callers.find((caller) => caller.name === name) ?? { name, headers: {} },
  }
}
