/** Spec, "POST /v1/robot-checks": which refusal comes first, and the words that a request is made of. */
import { beforeAll, describe, expect, it } from 'vitest'
import { checksOf } from '../support/checks.ts'
import { contractHub, type Json, type Person, places, types, type Who } from '../support/hub.ts'

const hub = contractHub()
const checks = checksOf(hub)
let ada: Person
let bob: Person
let hidden: string
let open: string
let own: string
let draft: string
let who: Record<string, Who>

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
  hidden = await checks.robot(ada)
  open = await checks.robot(ada, { visibility: 'public' })
  own = await checks.robot(bob)
  draft = await hub.repo(bob, { kind: 'model' })
  await hub.upload(bob, draft, { 'walk.onnx': 'onnx', 'no/config.json': '{}', 'bare/manifest.json': '{}' })
  who = {
    nobody: null,
    session: bob,
    read: await hub.key(bob, { scope: 'read' }),
    write: await hub.key(bob),
    train: await hub.key(bob, { scope: 'train' }),
    agent: await hub.key(bob, { agent: true }),
    limited: await hub.key(bob, { repos: [own] }),
    elsewhere: await hub.key(bob, { repos: [draft] }),
  }
})

const create = (by: Who, body: Json) => hub.call(by, 'POST', '/v1/robot-checks', body)
const answers = { kind: 'robot', entry: 'arm.xml', control_hz: 50, action: 'position' }
const policy = (change: Json = {}, model: Json = {}) => ({
  kind: 'model',
  entry: 'walk.onnx',
  model: { repo: draft, ...model },
  ...change,
})

describe('who can have a check made of what', () => {
  const cases: [string, () => string, Record<string, number>][] = [
    [
      'a robot of theirs',
      () => own,
      { nobody: 401, session: 201, read: 403, write: 201, train: 201, agent: 201, limited: 201, elsewhere: 404 },
    ],
    [
      "a stranger's public robot",
      () => open,
      { nobody: 401, session: 403, read: 403, write: 403, train: 403, agent: 403, limited: 403, elsewhere: 403 },
    ],
    [
      "a stranger's private robot",
      () => hidden,
      { nobody: 401, session: 404, read: 404, write: 404, train: 404, agent: 404, limited: 404, elsewhere: 404 },
    ],
    [
      'a robot that does not exist',
      () => `${bob.handle}/none`,
      { nobody: 401, session: 404, read: 404, write: 404, train: 404, agent: 404, limited: 404, elsewhere: 404 },
    ],
  ]
  it.each(cases)('of %s', async (_what, name, expected) => {
    const found: Record<string, number> = {}
    for (const [credential, by] of Object.entries(who))
      found[credential] = (await create(by, { ...answers, robot_repo: name() })).status
    expect(found).toEqual(expected)
  })

  it('of a policy: its draft is written too, and its robot', async () => {
    const model = (repo: string) => ({ model: { repo } })
    const theirs = await hub.repo(ada, { kind: 'model', visibility: 'public' })
    const unseen = await hub.repo(ada, { kind: 'model' })
    for (const [body, status] of [
      [policy(model(theirs)), 403],
      [policy(model(unseen)), 404],
      [policy({ robot_repo: open }), 403],
      [policy({ robot_repo: hidden }), 404],
      [policy({ robot_repo: own }), 201],
      [policy({ robot_repo: draft }), 409],
      [policy(model(own)), 409],
    ] as const)
      expect([body, (await create(bob, body)).status]).toEqual([body, status])
    expect((await create(who.read ?? null, policy(model(unseen)))).status).toBe(404)
    expect((await create(who.read ?? null, policy())).status).toBe(403)
    expect((await create(who.limited ?? null, policy())).status).toBe(404)
  })
})

describe('what is refused first', () => {
  it('is a member that breaks its rule, before the repo is looked at', async () => {
    const refused = await create(bob, { ...answers, robot_repo: hidden, control_hz: -1 })
    expect([refused.status, places(refused)]).toEqual([422, [['body', 'control_hz']]])
  })

  it('is then the repo, before its kind, its entry and its executor', async () => {
    const wrong = { ...answers, entry: 'none.xml', executor: 'hosted' }
    expect((await create(bob, { ...wrong, robot_repo: hidden })).status).toBe(404)
    expect((await create(bob, { ...wrong, robot_repo: open })).status).toBe(403)
    expect(types(await create(bob, { ...wrong, robot_repo: draft }))).toEqual(['conflict.wrong_kind'])
    expect(types(await create(bob, { ...wrong, robot_repo: own }))).toEqual(['not_configured.hosted_app'])
    expect(types(await create(bob, { ...wrong, robot_repo: own, executor: 'worker' }))).toEqual(['validation.value'])
  })
})

describe('the words of a request', () => {
  it.each([
    ['kind', null],
    ['kind', 'policy'],
    ['robot_repo', 'arm'],
    ['robot_repo', 'a/b/c'],
    ['entry', ''],
    ['entry', '/arm.xml'],
    ['entry', 'a//b.xml'],
    ['entry', 'a\\b.xml'],
    ['base', ''],
    ['base', 'x'.repeat(65)],
    ['control_hz', '50'],
    ['control_hz', -0.5],
    ['action', 'ee_delta_pose'],
    ['action', 'POSITION'],
    ['executor', 'cloud'],
    ['options', []],
    ['options', { discard_visual: 'yes' }],
    ['options', { kp: '1' }],
    ['drop', { files: -1 }],
    ['drop', { files: 1.5 }],
    ['drop', { entry_candidates: ['../a'] }],
    ['drop', { refused: [{ path: 'a' }] }],
    ['drop', { color: 'red' }],
    ['priority', 1],
  ])('is 422 for %s: %j', async (member, value) => {
    const refused = await create(bob, { ...answers, robot_repo: own, [member]: value })
    expect([refused.status, places(refused)[0]?.slice(0, 2)]).toEqual([422, ['body', member]])
  })

  it.each(['position', 'position_offset', 'position_delta', 'velocity', 'torque'])(
    'takes the action %s',
    async (action) => {
      await hub.sql(`update robot_checks set created_at = now() - interval '25 hours'`)
      expect((await create(bob, { ...answers, robot_repo: own, action, executor: null, base: null })).json.action).toBe(
        action,
      )
    },
  )

  it.each([
    'org',
    'org/',
    '/name',
    'a/b/c',
    '../name',
    'org/..',
    './name',
    'org/name@',
    'org/name@../x',
    'org/na me',
    'https://huggingface.co/org/name',
    `${'x'.repeat(97)}/name`,
  ])('is 422 for the import %j', async (hf_repo) => {
    const refused = await create(bob, policy({ entry: null }, { hf_repo }))
    expect([refused.status, places(refused)]).toEqual([422, [['body', 'model', 'hf_repo']]])
  })

  it.each(['org/name', 'Org_1/Na.me-2', 'org/name@main', 'org/name@refs/pr/1', 'org/name@v1.0'])(
    'takes the import %s, whose entry is not used',
    async (hf_repo) => {
      await hub.sql(`update robot_checks set created_at = now() - interval '25 hours'`)
      const made = await create(bob, policy({ entry: 'none.onnx' }, { hf_repo }))
      expect([made.status, made.json.model.hf_repo, made.json.sources_count]).toEqual([201, hf_repo, 0])
    },
  )

  it.each([
    ['a directory with a config and no weights', 'no'],
    ['a directory with a manifest and no policy/', 'bare'],
    ['a directory that is not there', 'gone'],
    ['a file that is no policy', 'no/config.json'],
  ])('is 422 for %s', async (_what, entry) => {
    const refused = await create(bob, policy({ entry }))
    expect([refused.status, places(refused)]).toEqual([422, [['body', 'entry']]])
  })

  it('asks for the base of a URDF in whatever case its name is written', async () => {
    await hub.upload(bob, own, { 'ARM.URDF': '<robot name="a"/>' })
    const refused = await create(bob, { ...answers, robot_repo: own, entry: 'ARM.URDF' })
    expect([refused.status, places(refused)]).toEqual([422, [['body', 'base']]])
  })
})
