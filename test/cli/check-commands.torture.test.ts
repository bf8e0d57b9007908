// @module-tag full
/** `hub check` and `hub checks` against a complete hub with a worker next to it. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import type { Command } from 'commander'
import type { ClientIo } from 'hub/client-output'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerCheckCommand } from '../../packages/cli/src/check-command.ts'
import { registerCheckWorkerCommand } from '../../packages/cli/src/check-worker-command.ts'
import { registerChecksCommand } from '../../packages/cli/src/checks-command.ts'
import { registerLogCommand } from '../../packages/cli/src/log-command.ts'
import { registerPublishCommand } from '../../packages/cli/src/publish-command.ts'
import { type CommandEnded, runCommandLine } from '../support/command-line.ts'
import { contractHub, newName, type Person } from '../support/hub.ts'

const hub = contractHub()
let base: string
let env: Record<string, string>
let ada: Person
let stopWorker = () => {}
let worker: Promise<CommandEnded>

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-check-commands-'))
  ada = await hub.person()
  env = { HUB_URL: hub.running.url, HUB_TOKEN: await hub.key(ada), HOME: base }
  worker = runCommandLine(
    (program, io) => registerCheckWorkerCommand(program, io, { intervalMs: 50, graceMs: 500 }),
    ['check-worker', '--owner', ada.handle],
    env,
    (stop) => {
      stopWorker = stop
    },
  )
})
afterAll(async () => {
  stopWorker()
  await worker
  await rm(base, { recursive: true, force: true })
})

const arm = (joint = 'swing') => `<mujoco model="arm"><worldbody><body name="arm" pos="0 0 .5">
  <joint name="swing" axis="0 1 0" range="-90 90" damping=".1" armature=".01"/><geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/>
  </body></worldbody><actuator><position name="m" joint="${joint}" kp="200" kv="5" forcerange="-9 9"/></actuator></mujoco>`

async function folder(files: Record<string, string>): Promise<string> {
  const dir = join(base, newName('arm'))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  return dir
}

function run(args: readonly string[], stopWith?: (stop: () => void) => void, change: Record<string, string> = {}) {
  const register = (program: Command, io: ClientIo) => {
    // Longer than any of these checks waits: a worker is there.
    registerCheckCommand(program, io, 600_000)
    registerChecksCommand(program, io)
    registerLogCommand(program, io)
    registerPublishCommand(program, io)
  }
  return runCommandLine(register, args, { ...env, ...change }, stopWith, base)
}
const answers = ['--control-hz', '50', '--action', 'position', '--executor', 'worker']

describe('hub check', () => {
  it('pushes a folder to a new private repo, follows the check, and shows a draft that can be published', async () => {
    const dir = await folder({ 'arm.xml': arm(), 'meshes/notes.txt': 'x' })
    const written = relative(base, dir)
    const { code, out, err } = await run(['check', written, 'arm.xml', ...answers])
    const name = `${ada.handle}/${basename(dir)}`
    expect([code, out]).toEqual([0, expect.stringMatching(/^publish {2}hub publish check_\w+$/m)])
    expect(out).toContain(`robot    ${name} arm.xml\n`)
    expect(out).toMatch(/^report {3}(pass|warn): \d+ checks by mujoco 3\.14\.0, 0 failed, /m)
    expect(out).toContain('answer: --option proprioception=joint_pos,joint_vel')
    expect(err).toContain(`hub: pushing ${written} to ${name}\n`)
    expect(err).toContain(`sent 2 files to ${name}, a new private repo`)
    expect(err).toMatch(/^hub: queued check_\w+$/m)
    expect(err).not.toContain('start one')
    expect(err).toContain('mujoco 3.14.0: compiled and stepped')
    expect((await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.visibility).toBe('private')
  })

  it('takes a repo and an entry as the shell completes it', async () => {
    const dir = await folder({ 'arm.xml': arm() })
    const pushed = await run(['check', dir, join(dir, 'arm.xml'), ...answers, '--no-wait'])
    const id = pushed.out.trim()
    expect([pushed.code, id]).toEqual([0, expect.stringMatching(/^check_/)])
    const { robot_repo } = (await hub.call(ada, 'GET', `/v1/robot-checks/${id}`)).json
    const again = await run(['check', robot_repo.full_name, 'arm.xml', ...answers, '--json'])
    expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { status: 'succeeded', publish_blockers: [] }])
  })

  it('is blocked by an answer that is missing, and names the option that gives it', async () => {
    const dir = await folder({ 'arm.xml': arm() })
    const asked = ['check', dir, 'arm.xml', '--control-hz', '50', '--action', 'position_offset', '--executor', 'worker']
    const blocked = await run(asked)
    expect(blocked.code).toBe(6)
    expect(blocked.out).toMatch(
      /needs an answer\n {2}✗ options\.action_scale: .*\n( {6}→ .*\n)? {6}answer: --option action_scale=VALUE/,
    )
    expect(blocked.out).toContain('cannot be published\n  ✗ ')
    const answered = await run([
      ...asked,
      '--option',
      'action_scale=0.25',
      '--option',
      'proprioception=joint_pos,joint_vel',
    ])
    expect([answered.code, answered.out.includes('needs an answer')]).toEqual([0, false])
  })

  it('is blocked by a model that MuJoCo refuses, with what to do', async () => {
    const { code, out } = await run(['check', await folder({ 'arm.xml': arm('swung') }), 'arm.xml', ...answers])
    expect([code, out]).toEqual([6, expect.stringContaining('  ✗ ')])
    expect(out).toContain('A check of its report failed.')
  })

  it('refuses wrong usage before it pushes anything', async () => {
    const dir = await folder({ 'arm.xml': arm() })
    for (const [args, why] of [
      [['check', dir, 'arm.xml'], 'needs --control-hz'],
      [['check', dir, 'leg.xml', ...answers], 'leg.xml is not in'],
      [['check', dir, ...answers], 'Name the model file'],
      [['check', dir, 'arm.xml', ...answers, '--option', 'kp'], 'name=value'],
      [['check', dir, 'arm.xml', ...answers, '--option', 'scale=1'], 'action_scale, action_clip'],
      [['check', 'nowhere', 'arm.xml', ...answers], 'owner/slug'],
    ] as const)
      expect(await run(args)).toMatchObject({ code: 2, err: expect.stringContaining(why) })
    const slug = dir.slice(dir.lastIndexOf('/') + 1)
    expect((await hub.call(ada, 'GET', `/v1/repos/${ada.handle}/${slug}`)).status).toBe(404)
  })
})

describe('hub publish', () => {
  it('publishes what the check drafted and says what it was; again, and what is blocked, is refused with the reason', async () => {
    const dir = await folder({ 'arm.xml': arm() })
    const asked = ['check', dir, 'arm.xml', '--control-hz', '50', '--executor', 'worker', '--json']
    const drafted = JSON.parse((await run([...asked, '--action', 'position'])).out)
    // Not by the key that claimed it.
    const other = { HUB_TOKEN: await hub.key(ada) }
    const published = await run(['publish', drafted.id, '--visibility', 'public'], undefined, other)
    expect([published.code, published.err]).toEqual([0, ''])
    expect(published.out).toMatch(/^published check_\w+: \d+ files?, public\n/)
    expect(published.out).toContain(`robot     ${drafted.robot_repo.full_name}\n`)
    expect(published.out).toMatch(/^interface [\da-f]{64}$/m)
    const card = await hub.call(null, 'GET', `/v1/robots/${drafted.robot_repo.full_name}/card`)
    expect([card.status, card.json.dof]).toEqual([200, 1])
    const again = await run(['publish', drafted.id], undefined, other)
    expect([again.code, again.err]).toEqual([5, expect.stringContaining('published already')])
    const blocked = JSON.parse((await run([...asked, '--action', 'position_offset'])).out)
    const refused = await run(['publish', blocked.id], undefined, other)
    expect([refused.code, refused.err]).toEqual([5, expect.stringContaining('options.action_scale')])
  })
})

describe('hub checks', () => {
  let id: string
  beforeAll(async () => {
    const eve = await hub.person()
    // No one works for this account.
    env = { ...env, HUB_TOKEN: await hub.key(eve) }
    const dir = await folder({ 'arm.xml': arm() })
    id = (await run(['check', dir, 'arm.xml', ...answers, '--no-wait'])).out.trim()
  })

  it('lists checks and shows one', async () => {
    const listed = await run(['checks', '--status', 'queued'])
    expect([listed.code, listed.out]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^${id} {2}queued .*arm\\.xml\\n1 check\\n$`)),
    ])
    expect((await run(['checks', id])).out).toContain(`check    ${id}\nstatus   queued\n`)
    expect(JSON.parse((await run(['checks', '--json'])).out).checks).toHaveLength(1)
  })

  it('cancels one; who follows its log hears of the end', async () => {
    const following = run(['logs', id, '-f'])
    const canceled = await run(['checks', 'cancel', id])
    expect([canceled.code, canceled.out]).toEqual([0, expect.stringContaining('status   canceled')])
    expect(await following).toMatchObject({ code: 1, err: 'hub: the check has ended: canceled\n' })
  })

  it('queues a model check of a pushed checkpoint, and of a policy that is imported into a new private repo', async () => {
    const me = JSON.parse((await run(['checks', id, '--json'])).out).robot_repo.full_name.split('/')[0]
    const dir = await folder({ 'step_5/manifest.json': '{}', 'step_5/policy/weights.pt': 'w' })
    const pushed = await run(['check', dir, 'step_5', '--model-repo', `${me}/walker`, '--no-wait', '--json'])
    expect(pushed.code).toBe(0)
    expect(JSON.parse(pushed.out)).toMatchObject({ kind: 'model', entry: 'step_5', model: { repo: `${me}/walker` } })
    const asked = ['--hf', 'lab/walker@v1', '--control-class', 'reflex', '--obs', 'joint_pos, joint_vel']
    const imported = await run(['check', `${me}/imported`, ...asked, '--no-wait', '--json'])
    expect(JSON.parse(imported.out).model).toMatchObject({
      ...{ repo: `${me}/imported`, hf_repo: 'lab/walker@v1', control_class: 'reflex' },
      obs: { blocks: ['joint_pos', 'joint_vel'] },
    })
    for (const check of [pushed, imported]) await run(['checks', 'cancel', JSON.parse(check.out).id])
  })

  it('goes on when its follower is interrupted', async () => {
    const dir = await folder({ 'arm.xml': arm() })
    let stop = () => {}
    const ended = run(['check', dir, 'arm.xml', ...answers], (given) => {
      stop = given
    })
    const queued = async () => JSON.parse((await run(['checks', '--status', 'queued', '--json'])).out).checks
    await expect.poll(async () => (await queued()).length).toBe(1)
    stop()
    expect(await ended).toMatchObject({
      code: 130,
      err: expect.stringContaining('the check goes on: hub checks check_'),
    })
    expect(await queued()).toHaveLength(1)
  })
})
