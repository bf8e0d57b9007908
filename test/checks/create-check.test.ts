/** Spec, "POST /v1/robot-checks", "GET /v1/robot-checks" and "GET /v1/robot-checks/{check_id}". */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person, sha256Of, types, type Who } from '../support/hub.ts'

const hub = contractHub()
const alone = contractHub({ ROBOT_CHECK_DAILY_QUOTA: '2' })
let ada: Person
let bob: Person
let robot: string
let model: string

const answers = { entry: 'arm.xml', control_hz: 50, action: 'position' }
const asked = (change: Json = {}) => ({ kind: 'robot', robot_repo: robot, ...answers, ...change })
const create = (who: Who, body: Json) => hub.call(who, 'POST', '/v1/robot-checks', body)
const rows = async () => (await hub.sql<{ n: number }>('select count(*)::int as n from robot_checks'))[0]?.n

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
  robot = await hub.repo(ada, { kind: 'robot' })
  model = await hub.repo(ada, { kind: 'model' })
  await hub.upload(ada, robot, { 'arm.xml': '<mujoco/>', 'arm.urdf': '<robot name="a"/>', 'meshes/a.stl': 'solid a' })
  await hub.upload(ada, model, {
    'walk.onnx': 'onnx',
    'walk.onnx.data': 'weights',
    'runs/manifest.json': '{}',
    'runs/policy/a.bin': 'a',
    'hf/config.json': '{}',
    'hf/model.safetensors': 'b',
    'empty/readme.md': 'x',
  })
})

describe('createRobotCheck', () => {
  it('queues a check with the answers as they are given, and snapshots the files of the repo', async () => {
    const options = { kp: 12.5, default_pose: { knee: 0.3, hip: null }, proprioception: ['joint_pos'] }
    const drop = { filename: 'arm.zip', files: 3, refused: [{ path: 'a.exe', reason: 'a program' }] }
    const made = await create(ada, asked({ options, drop, base: 'fixed' }))
    expect([made.status, made.headers.get('location')]).toEqual([201, `/v1/robot-checks/${made.json.id}`])
    expect(made.json).toMatchObject({
      kind: 'robot',
      status: 'queued',
      executor: 'worker',
      entry: 'arm.xml',
      base: 'fixed',
      control_hz: 50,
      action: 'position',
      robot_repo: { full_name: robot },
      model_repo: null,
      model: null,
      sources_count: 3,
      sources_bytes: 33,
      priced: false,
      cost_usd: null,
      published: null,
      draft: null,
      report: null,
      log_tail: null,
      artifacts: [],
      created_by: { handle: ada.handle },
    })
    expect(made.json.id).toMatch(/^check_/)
    expect(made.json.options).toEqual({
      action_scale: null,
      action_clip: null,
      kp: 12.5,
      kd: null,
      armature: null,
      friction_loss: null,
      proprioception: ['joint_pos'],
      command: null,
      default_pose: { knee: 0.3, hip: null },
      discard_visual: null,
    })
    expect(made.json.drop).toMatchObject({ filename: 'arm.zip', files: 3, zip_bytes: null, refused: drop.refused })
    expect(made.json.publish_blockers).toEqual(['The check is queued: only a check that succeeded can be published.'])
    const seen = await hub.call(ada, 'GET', `/v1/robot-checks/${made.json.id}`)
    expect(seen.json).toEqual(made.json)
    expect(made.json).not.toHaveProperty('sources')
  })

  it.each([
    ['no robot', { robot_repo: undefined }, 'robot_repo'],
    ['no entry', { entry: null }, 'entry'],
    ['no rate', { control_hz: null }, 'control_hz'],
    ['no action', { action: undefined }, 'action'],
    ['a URDF without its base', { entry: 'arm.urdf' }, 'base'],
    ['a model beside a robot check', { model: { repo: 'a/b' } }, 'model'],
    ['an entry that is not a file', { entry: 'meshes' }, 'entry'],
    ['a rate of 0', { control_hz: 0 }, 'control_hz'],
    ['an action of task space', { action: 'ee_pose' }, 'action'],
    ['a path outside', { entry: '../arm.xml' }, 'entry'],
    ['an unknown flag', { options: { gain: 1 } }, 'options'],
    ['a pose of words', { options: { default_pose: { knee: 'bent' } } }, 'options'],
  ])('is 422 with %s, and records nothing', async (_what, change, member) => {
    const before = await rows()
    const refused = await create(ada, asked(change))
    expect([refused.status, refused.json.errors[0]?.loc?.slice(0, 2)]).toEqual([422, ['body', member]])
    expect(await rows()).toBe(before)
  })

  it('names everything that is missing at once', async () => {
    const refused = await create(ada, { kind: 'robot' })
    expect(refused.json.errors.map(({ loc }: Json) => loc.at(-1))).toEqual([
      'robot_repo',
      'entry',
      'control_hz',
      'action',
    ])
  })

  it('takes a URDF with its base', async () => {
    expect((await create(ada, asked({ entry: 'arm.urdf', base: 'fixed' }))).status).toBe(201)
  })

  it('is 404 on a robot that the caller does not see, 403 on one they may not write, 409 on another kind', async () => {
    const open = await hub.repo(ada, { kind: 'robot', visibility: 'public' })
    await hub.upload(ada, open, { 'arm.xml': '<mujoco/>' })
    expect(types(await create(bob, asked()))).toEqual(['not_found'])
    const refused = await create(bob, asked({ robot_repo: open }))
    expect([refused.status, types(refused)]).toEqual([403, ['forbidden.scope']])
    const other = await create(ada, asked({ robot_repo: model }))
    expect([other.status, types(other)]).toEqual([409, ['conflict.wrong_kind']])
  })

  it('is 409 `conflict.unverified` naming a file that the hub has not hashed yet', async () => {
    const fresh = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, fresh, { 'arm.xml': '<mujoco model="unhashed"/>' })
    await hub.sql('update blobs set sha256 = null where claimed = $1', [sha256Of('<mujoco model="unhashed"/>')])
    const refused = await create(ada, asked({ robot_repo: fresh }))
    expect([refused.status, types(refused), refused.json.detail]).toEqual([
      409,
      ['conflict.unverified'],
      expect.stringContaining('"arm.xml"'),
    ])
  })

  it('is 503 for `hosted` on a deployment without a hosted app, and records nothing', async () => {
    const before = await rows()
    const refused = await create(ada, asked({ executor: 'hosted' }))
    expect([refused.status, types(refused)]).toEqual([503, ['not_configured.hosted_app']])
    expect(await rows()).toBe(before)
  })

  it('keeps its robot from being deleted while it is queued', async () => {
    const kept = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, kept, { 'arm.xml': '<mujoco/>' })
    const made = await create(ada, asked({ robot_repo: kept }))
    const refused = await hub.call(ada, 'DELETE', `/v1/repos/${kept}`)
    expect([refused.status, types(refused)]).toEqual([409, ['conflict.referenced']])
    expect(refused.json.errors[0].referrer).toBe(made.json.id)
  })
})

describe('createRobotCheck of a model', () => {
  const modelCheck = (change: Json = {}, of: Json = {}) => ({
    kind: 'model',
    entry: 'walk.onnx',
    model: { repo: model, ...of },
    ...change,
  })

  it.each([
    ['an ONNX file, with what lies beside it', 'walk.onnx', 2],
    ['a directory with a manifest and policy/', 'runs', 2],
    ['a directory with config.json and model.safetensors', 'hf', 2],
  ])('takes %s', async (_what, entry, count) => {
    const made = await create(ada, modelCheck({ entry }))
    expect([made.status, made.json.sources_count]).toEqual([201, count])
    expect(made.json).toMatchObject({
      robot_repo: null,
      model_repo: { full_name: model },
      control_hz: null,
      action: null,
    })
  })

  it('reads only the policy without a robot, and compares with one that is named', async () => {
    const obs = {
      blocks: ['joint_pos'],
      scales: { joint_pos: 1 },
      cycle_time_s: 0.5,
      profile: null,
      task: { kind: 'walk' },
    }
    const made = await create(ada, modelCheck({ robot_repo: robot }, { obs, control_class: 'reflex' }))
    expect(made.json).toMatchObject({
      robot_repo: { full_name: robot },
      model: { repo: model, control_class: 'reflex', obs },
    })
  })

  it('needs no entry where a policy is fetched from elsewhere, and snapshots nothing', async () => {
    const made = await create(ada, modelCheck({ entry: undefined }, { hf_repo: 'org/name@main' }))
    expect([made.status, made.json.sources_count, made.json.model.hf_repo]).toEqual([201, 0, 'org/name@main'])
  })

  it.each([
    ['no model', { model: null }, 'model'],
    ['no entry', { entry: null }, 'entry'],
    ['an entry that is no policy', { entry: 'empty' }, 'entry'],
    ['an ONNX file that is not there', { entry: 'run.onnx' }, 'entry'],
    ['a rate, which is the robot’s', { control_hz: 50 }, 'control_hz'],
  ])('is 422 with %s', async (_what, change, member) => {
    const refused = await create(ada, modelCheck(change))
    expect([refused.status, refused.json.errors[0].loc]).toEqual([422, ['body', member]])
  })

  it('is 422 for an import that is not named org/name, and 409 for a repo of another kind', async () => {
    expect((await create(ada, modelCheck({}, { hf_repo: 'https://x' }))).status).toBe(422)
    expect(types(await create(ada, modelCheck({}, { repo: robot })))).toEqual(['conflict.wrong_kind'])
  })
})

describe('the daily quota', () => {
  it('counts an account across its keys and sessions: 429 with Retry-After and the quota headers', async () => {
    const eve = await alone.person()
    const key = await alone.key(eve)
    const repo = await alone.repo(eve, { kind: 'robot' })
    await alone.upload(eve, repo, { 'arm.xml': '<mujoco/>' })
    const ask = (who: Who) => alone.call(who, 'POST', '/v1/robot-checks', asked({ robot_repo: repo }))
    expect([(await ask(eve)).status, (await ask(key)).status]).toEqual([201, 201])
    for (const who of [eve, key, await alone.key(eve)]) {
      const refused = await ask(who)
      expect([refused.status, types(refused)]).toEqual([429, ['quota.robot_checks']])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
      expect(refused.headers.get('x-robot-check-quota-limit')).toBe('2')
      expect(refused.headers.get('x-robot-check-quota-used')).toBe('2')
    }
    await alone.sql(`update robot_checks set created_at = created_at - interval '25 hours'`)
    expect((await ask(eve)).status).toBe(201)
  })
})

describe('listRobotChecks', () => {
  it('lists the checks that the caller made or whose robot they can write, newest first, in pages', async () => {
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: bob.handle, role: 'member' },
    ])
    const theirs = await hub.repo(ada, { kind: 'robot', owner: org })
    await hub.upload(ada, theirs, { 'arm.xml': '<mujoco/>' })
    const ids: string[] = []
    for (let at = 0; at < 3; at += 1) ids.unshift((await create(ada, asked({ robot_repo: theirs }))).json.id)
    const list = async (who: Who, query: string) => (await hub.call(who, 'GET', `/v1/robot-checks?${query}`)).json
    const page = await list(bob, `robot_repo=${theirs}&limit=2`)
    expect(page.items.map(({ id }: Json) => id)).toEqual(ids.slice(0, 2))
    const rest = await list(bob, `robot_repo=${theirs}&limit=2&cursor=${page.next_cursor}`)
    expect([rest.items.map(({ id }: Json) => id), rest.next_cursor]).toEqual([ids.slice(2), null])
    expect((await list(bob, `status=queued&executor=worker`)).items).toHaveLength(3)
    expect((await list(bob, `status=running`)).items).toEqual([])
    expect((await list(await hub.person(), '')).items).toEqual([])
    await hub.sql('delete from memberships where user_id = $1', [bob.id])
    expect((await list(bob, '')).items).toEqual([])
    expect((await hub.call(bob, 'GET', `/v1/robot-checks/${ids[0]}`)).status).toBe(404)
  })

  it('shows a limited key the checks that it filed and those of its repos alone', async () => {
    const one = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, one, { 'arm.xml': '<mujoco/>' })
    const key = await hub.key(ada, { repos: [one] })
    const made = await create(key, asked({ robot_repo: one }))
    const listed = await hub.call(key, 'GET', '/v1/robot-checks')
    expect(listed.json.items.map(({ id }: Json) => id)).toEqual([made.json.id])
    expect((await create(key, asked())).status).toBe(404)
  })

  it('is the same in GraphQL, joined with the repo', async () => {
    const made = await create(ada, asked())
    const found = await hub.graphql(
      ada,
      'query ($id: ID!) { robotCheck(id: $id) { id status kind repo { fullName } } robotChecks(first: 1) { nodes { id } } }',
      { id: made.json.id },
    )
    expect(found.data).toEqual({
      robotCheck: { id: made.json.id, status: 'QUEUED', kind: 'ROBOT', repo: { fullName: robot } },
      robotChecks: { nodes: [{ id: made.json.id }] },
    })
  })
})
