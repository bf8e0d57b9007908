// @module-tag full
/** The check worker against a complete hub: MuJoCo runs for real. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { ClientIo } from 'hub/client-output'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { derivedContract } from '../../packages/check-worker/src/policy/contract.ts'
import { hfMirror, type Mirror } from '../../packages/check-worker/test/policy/support/hf-mirror.ts'
import { answers, face, fingerprint } from '../../packages/check-worker/test/policy/support/model-checks.ts'
import { registerCheckWorkerCommand } from '../../packages/cli/src/check-worker-command.ts'
import { onnx } from '../../packages/formats/test/policy/policy-files.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, type Json, type Person, sha256Of } from '../support/hub.ts'

const hub = contractHub()
let base: string
let env: Record<string, string>
let ada: Person

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-check-worker-'))
  ada = await hub.person()
  const [PATH, HUB_TOKEN] = [process.env.PATH ?? '', await hub.key(ada)]
  // Stills have tests of their own.
  env = { PATH, HUB_URL: hub.running.url, HUB_TOKEN, HOME: base, HUB_CHROMIUM: 'off' }
})
afterAll(() => rm(base, { recursive: true, force: true }))

const arm = `<mujoco model="arm">
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body name="arm" pos="0 0 .5">
      <joint name="swing" axis="0 1 0" range="-90 90" damping=".1" armature=".01" frictionloss=".02"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/>
    </body>
  </worldbody>
  <actuator><position name="m" joint="swing" kp="200" kv="5" forcerange="-9 9"/></actuator>
  <keyframe><key name="home" qpos="-.5"/></keyframe>
</mujoco>`

const pole = `<robot name="pole">
  <link name="base"/>
  <link name="tip"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="tip"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="3"/>
  </joint>
</robot>`

async function robot(files: Record<string, string>): Promise<string> {
  const name = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, name, files)
  return name
}

async function queue(change: Record<string, unknown>): Promise<string> {
  const asked = { kind: 'robot', entry: 'arm.xml', control_hz: 50, action: 'position', executor: 'worker', ...change }
  const made = await hub.call(ada, 'POST', '/v1/robot-checks', asked)
  expect([made.status, made.json.errors]).toEqual([201, undefined])
  return made.json.id
}
const get = async (id: string): Promise<Json> => (await hub.call(ada, 'GET', `/v1/robot-checks/${id}`)).json

function worker(
  once = true,
  args: string[] = [],
  change: Record<string, string> = {},
  stopWith?: (stop: () => void) => void,
) {
  const all = ['check-worker', ...(once ? ['--once'] : []), '--json', '--name', 'box', '--owner', ada.handle, ...args]
  const pace = { intervalMs: 50, graceMs: 500 }
  const register = (program: Command, io: ClientIo) => registerCheckWorkerCommand(program, io, pace)
  return runCommandLine(register, all, { ...env, ...change }, stopWith)
}
const left = async () =>
  (await readdir(join(base, '.local', 'state', 'hub', 'checks'))).filter((name) => name.startsWith('check_'))

describe('hub check-worker', () => {
  it('reports verdict, draft, log and artifacts of a robot, and leaves nothing behind', async () => {
    const name = await robot({ 'arm.xml': arm, 'README.md': '# Arm' })
    const id = await queue({ robot_repo: name, options: { proprioception: ['joint_pos'] } })
    const ended = await worker()
    expect([ended.code, JSON.parse(ended.out)]).toEqual([0, { check: id, status: 'succeeded', error: null }])
    const check = await get(id)
    expect(check).toMatchObject({
      status: 'succeeded',
      claimed_by: 'box',
      error: null,
      engine: { name: 'mujoco', version: '3.14.0', build: 'wasm' },
      report: { ok: true, grade: 'pass', source: 'draft', engine: 'mujoco 3.14.0', mjcf_path: 'arm.xml' },
      draft: { source: 'arm.xml', mjcf_path: 'arm.xml', needs_you: [], blocking: 0, card: { dof: 1 } },
      publish_blockers: [],
    })
    expect(check.draft.card.validation.check_id).toBe(id)
    expect(check.artifacts.map(({ path }: Json) => path)).toEqual(['robot_card.json'])
    const [{ url, sha256 }] = check.artifacts
    const text = await (await fetch(url)).text()
    expect([sha256Of(text), JSON.parse(text).dof]).toEqual([sha256, 1])
    expect(check.log_tail.split('\n')).toEqual([
      expect.stringMatching(/^fetching 2 of 2 files, \d+ B$/),
      'arm.xml: a model of 1 file',
      'mujoco 3.14.0: compiled and stepped',
      'card.thumbnails skip: The card names no stills.',
      'no stills: HUB_CHROMIUM is off: unset it, or set it to the path of a Chromium (apt install chromium).',
      expect.stringMatching(/^sending robot_card.json, [\d.]+ k?B$/),
      'done: the report passes',
      '',
    ])
    expect(await left()).toEqual([])
  })

  it('ends a check of a model that MuJoCo refuses as succeeded, with a report that fails', async () => {
    const id = await queue({ robot_repo: await robot({ 'arm.xml': arm.replace('joint="swing"', 'joint="swung"') }) })
    expect(await worker()).toMatchObject({ code: 0 })
    const { status, report, draft, publish_blockers } = await get(id)
    expect([status, report.ok, report.grade, draft.card]).toEqual(['succeeded', false, 'fail', null])
    expect(publish_blockers).toContain('A check of its report failed.')
  })

  it('comes to a verdict on a model whose names are longer than a report takes', async () => {
    const name = 'n'.repeat(100_000)
    const id = await queue({ robot_repo: await robot({ 'arm.xml': arm.replaceAll('"swing"', `"${name}"`) }) })
    expect(await worker()).toMatchObject({ code: 0 })
    const { status, error, report } = await get(id)
    expect([status, error, report.model.joints[0].length]).toEqual(['succeeded', null, 65_536])
  })

  it('uploads the MJCF that is made of a URDF', async () => {
    const id = await queue({
      robot_repo: await robot({ 'urdf/pole.urdf': pole }),
      entry: 'urdf/pole.urdf',
      base: 'fixed',
    })
    expect(await worker()).toMatchObject({ code: 0 })
    const { artifacts, draft } = await get(id)
    expect(artifacts.map(({ path }: Json) => path)).toEqual(['robot_card.json', 'urdf/pole.xml'])
    expect(draft).toMatchObject({
      mjcf_path: 'urdf/pole.xml',
      conversion: { from: 'urdf/pole.urdf', to: 'urdf/pole.xml' },
    })
  })

  it('executes the very check that the hub started it for', async () => {
    const name = await robot({ 'arm.xml': arm })
    const other = await queue({ robot_repo: name })
    const id = await queue({ robot_repo: name })
    const ended = await worker(true, [], { HUB_JOB_KIND: 'robot_check', HUB_JOB_ID: id })
    expect([ended.code, JSON.parse(ended.out).check]).toEqual([0, id])
    expect([(await get(other)).status, (await get(id)).status]).toEqual(['queued', 'succeeded'])
    await hub.call(ada, 'POST', `/v1/robot-checks/${other}/cancel`)
  })

  it('fails a check whose files cannot be fetched, with what to do, and takes the next one', async () => {
    const broken = await queue({ robot_repo: await robot({ 'arm.xml': `${arm} ` }) })
    const good = await queue({ robot_repo: await robot({ 'arm.xml': arm }) })
    await hub.sql(`update blobs set sha256 = repeat('0', 64) where sha256 = $1`, [sha256Of(`${arm} `)])
    let stop = () => {}
    const ended = worker(false, [], {}, (given) => {
      stop = given
    })
    await expect.poll(async () => (await get(good)).status).toBe('succeeded')
    stop()
    expect((await ended).code).toBe(0)
    expect(await get(broken)).toMatchObject({ status: 'failed', error: expect.stringContaining('SHA-256 mismatch') })
    expect(await left()).toEqual([])
  })

  it('needs a key that may write', async () => {
    const bare = await hub.key(ada, { scope: 'read' })
    expect(await worker(true, [], { HUB_TOKEN: bare })).toMatchObject({ code: 3 })
    expect(await worker(true, [], { HUB_TOKEN: '' })).toMatchObject({
      code: 7,
      err: expect.stringContaining('You are not logged in'),
    })
  })
})

/** Takes 20 s to step: 512 boxes that rest on each other. */
const endless = `<mujoco><worldbody><geom type="plane" size="9 9 .1"/>
  <replicate count="8" offset=".2 0 0"><replicate count="8" offset="0 .2 0"><replicate count="8" offset="0 0 .2">
    <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  </replicate></replicate></replicate></worldbody></mujoco>`

describe('a check that is taken from its worker', () => {
  it('stops the engine when it is canceled, and the worker takes the next one', async () => {
    const canceled = await queue({ robot_repo: await robot({ 'arm.xml': endless }) })
    let stop = () => {}
    const ended = worker(false, [], {}, (given) => {
      stop = given
    })
    await expect.poll(async () => (await get(canceled)).log_tail ?? '').toContain('arm.xml: a model of 1 file')
    await expect.poll(() => enginesOf(process.pid)).toBe(1)
    expect((await hub.call(ada, 'POST', `/v1/robot-checks/${canceled}/cancel`)).status).toBe(202)
    const next = await queue({ robot_repo: await robot({ 'arm.xml': arm }) })
    await expect.poll(async () => (await get(next)).status).toBe('succeeded')
    stop()
    expect(
      (await ended).out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { check: canceled, status: 'lost', error: expect.stringContaining('canceled') },
      { check: next, status: 'succeeded', error: null },
    ])
    expect([(await get(canceled)).status, await left(), enginesOf(process.pid)]).toEqual(['canceled', [], 0])
  })

  it('fails when its worker is stopped, and says so', async () => {
    const id = await queue({ robot_repo: await robot({ 'arm.xml': endless }) })
    let stop = () => {}
    const ended = worker(true, [], {}, (given) => {
      stop = given
    })
    await expect.poll(async () => (await get(id)).log_tail ?? '').toContain('arm.xml: a model of 1 file')
    stop()
    expect((await ended).code).toBe(1)
    const error = 'The check worker was stopped. Queue the check again.'
    expect([await get(id), await left()]).toMatchObject([{ status: 'failed', error }, []])
  })

  it('goes to one of two workers', async () => {
    const id = await queue({ robot_repo: await robot({ 'arm.xml': arm }) })
    const given = { HUB_JOB_KIND: 'robot_check', HUB_JOB_ID: id }
    const both = await Promise.all(['one', 'two'].map((dir) => worker(true, ['--work', join(base, dir)], given)))
    expect(both.map(({ code }) => code).sort()).toEqual([0, 5])
    expect(both.find(({ code }) => code === 5)?.err).toContain('box has held it since')
  })
})

/** MuJoCo processes that are children of a process, those that have just ended aside. */
function enginesOf(pid: number): number {
  const children = execFileSync('ps', ['--ppid', String(pid), '-o', 'stat=,args='])
    .toString()
    .split('\n')
  return children.filter((line) => line.includes('engine-child') && !line.startsWith('Z')).length
}

describe('a model check', () => {
  const biped = `<mujoco model="leg"><worldbody><body name="thigh"><joint name="hip"/><geom size=".1"/>
    <body name="shank"><joint name="knee"/><geom size=".1"/><body name="foot"><joint name="ankle"/><geom size=".1"/></body></body></body>
  </worldbody></mujoco>`
  let leg: string
  let mirror: Mirror
  beforeAll(async () => {
    leg = await robot({ 'leg.xml': biped })
    const card = { dof: 3, mjcf_path: 'leg.xml', interface: face }
    const put = await hub.call(ada, 'PUT', `/v1/robots/${leg}/card`, card)
    expect([put.status, put.json.errors]).toEqual([200, undefined])
    mirror = await hfMirror({
      'walk.onnx': onnx({ inputs: { obs: ['batch', 9] }, outputs: { actions: ['batch', 3] } }),
    })
  })
  afterAll(() => mirror?.close())

  const model = () => hub.repo(ada, { kind: 'model' })
  const asked = (repo: string, more: object = {}) => ({
    ...{ kind: 'model', robot_repo: leg, control_hz: null, action: null },
    model: { repo, ...more },
  })

  it('compares a stamped checkpoint with the card of its robot, and uploads what would be published', async () => {
    const repo = await model()
    const contract = derivedContract(face, answers.obs)
    const manifest = {
      policy_format: 'torchscript',
      control_class: 'reflex',
      embodiment_fingerprint: fingerprint,
      contract,
    }
    await hub.upload(ada, repo, {
      'step_5/manifest.json': JSON.stringify(manifest).replace('"control_rate_hz":50', '"control_rate_hz":50.0'),
      'step_5/policy/weights.pt': 'weights',
    })
    const id = await queue({ ...asked(repo), entry: 'step_5' })
    expect(await worker()).toMatchObject({ code: 0, err: expect.stringContaining(`model ${repo} step_5`) })
    const { report, intake, artifacts, draft, engine } = await get(id)
    expect([report.ok, intake.embodiment, intake.robot_fingerprint]).toEqual([true, 'match', fingerprint])
    expect(artifacts.map(({ path }: Json) => path)).toEqual(['manifest.json', 'policy/weights.pt'])
    expect([draft.needs_you, engine.name]).toEqual([[], 'static'])
    const { text } = await hub.send(ada, 'GET', `/v1/robot-checks/${id}`)
    expect(text).toContain('"control_rate_hz":50.0')
  })

  it('imports a policy from a mirror, and asks what the robot cannot know', async () => {
    const repo = await model()
    const id = await queue({ ...asked(repo, { hf_repo: 'lab/walker' }), entry: null })
    expect(await worker(true, [], { HF_ENDPOINT: mirror.url })).toMatchObject({ code: 0 })
    const { intake, draft, publish_blockers } = await get(id)
    expect(intake).toMatchObject({ embodiment: 'unstamped', source: { hf_repo: 'lab/walker', license: 'apache-2.0' } })
    expect(draft.needs_you.map(({ field, severity }: Json) => [field, severity])).toEqual([
      ['model.obs', 'blocking'],
      ['model.control_class', 'blocking'],
    ])
    expect(publish_blockers.join()).toContain('model.obs')
  })
})
