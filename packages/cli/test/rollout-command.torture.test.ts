/** `hub rollout` over folders: from its arguments to its results, with both engines. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { afterAll, expect, it } from 'vitest'
import { field, onnx, varint } from '../../formats/test/policy/policy-files.ts'
import { registerRolloutCommand } from '../src/rollout-command.ts'

const examples = fileURLToPath(new URL('../../../examples/pendulum', import.meta.url))
const work = await mkdtemp(join(tmpdir(), 'hub-rollout-'))
afterAll(() => rm(work, { recursive: true, force: true }))

async function hub(...args: readonly string[]) {
  let [out, err, code] = ['', '', -1]
  const program = new Command('hub').exitOverride().enablePositionalOptions()
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      err += chunk
      done()
    },
  })
  registerRolloutCommand(program, {
    env: { HOME: work },
    cwd: work,
    stdout: {
      write(text) {
        out += text
      },
    },
    stderr,
    exit(status) {
      code = status
    },
    onInterrupt: () => () => undefined,
  })
  await program.parseAsync(['rollout', ...args], { from: 'user' })
  return { code, out, err }
}

const robot = ['--robot', join(examples, 'robot')]
const policy = join(examples, 'policy')

it('runs so many seeds, and writes results and episodes', async () => {
  const { code, out } = await hub(
    policy,
    ...robot,
    '-n',
    '4',
    '--seed',
    '7',
    '--parallel',
    '2',
    '--json',
    '-o',
    'r.json',
  )
  const result = JSON.parse(out)
  expect(code).toBe(0)
  expect(result).toMatchObject({ task: 'swing-up', rollouts: 4, successes: 4, first_seed: 7, redone: 0, notes: [] })
  expect(result.interval[0]).toBeCloseTo(0.5101, 3)
  expect(JSON.parse(await readFile(join(work, 'r.json'), 'utf8'))).toEqual(result)
  const again = await hub(
    join(policy, 'policy.onnx'),
    ...robot,
    '-n',
    '2',
    '--seed',
    '8',
    '--episodes',
    'out',
    '--json',
  )
  expect(JSON.parse(again.out).outcomes).toEqual(result.outcomes.slice(1, 3))
  expect((await readdir(join(work, 'out'))).toSorted()).toEqual(['seed-8.json', 'seed-9.json'])
  const episode = JSON.parse(await readFile(join(work, 'out', 'seed-8.json'), 'utf8'))
  expect(episode).toMatchObject({ seed: 8, fingerprint: result.outcomes[1].fingerprint })
  expect(episode.episode).toHaveLength(result.outcomes[1].steps)
})

it('drives a robot with another joint by a map of a file, and names a map that does not cover it', async () => {
  const [folder, card] = [join(work, 'other'), await readFile(join(examples, 'robot/robot_card.json'), 'utf8')]
  await mkdir(folder)
  await writeFile(join(folder, 'robot_card.json'), card.replaceAll('"pivot"', '"axle"'))
  const model = await readFile(join(examples, 'robot/robot.xml'), 'utf8')
  await writeFile(join(folder, 'robot.xml'), model.replaceAll('"pivot"', '"axle"'))
  const task = await readFile(join(examples, 'policy/task.json'), 'utf8')
  await writeFile(join(work, 'axle.json'), task.replaceAll('"pivot"', '"axle"'))
  const joint = { from: 'pivot', to: 'axle', sign: 1, scale: 1, offset: 0 }
  const map = { version: 1, joints: [joint], held: [], dropped: [] }
  await writeFile(join(work, 'map.json'), JSON.stringify(map))
  await writeFile(join(work, 'less.json'), JSON.stringify({ ...map, joints: [], dropped: ['pivot'] }))
  const asked = [policy, '--robot', folder, '--task', 'axle.json', '-n', '1', '--seed', '7', '--json']
  const mapped = JSON.parse((await hub(...asked, '--map', 'map.json')).out)
  const same = JSON.parse((await hub(policy, ...robot, '-n', '1', '--seed', '7', '--json')).out)
  expect(mapped.outcomes).toEqual(same.outcomes)
  expect(mapped.map).toMatchObject({ version: null, fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect((await hub(...asked, '--map', 'less.json')).err).toContain('The map gives no value to axle.')
  expect((await hub(...asked, '--map', '3')).err).toContain('--map 3 is a kept version')
})

it('says what is wrong with a task, a robot and a policy', async () => {
  await writeFile(join(work, 'task.json'), '{"version":1,"name":"x","seconds":1,"success":{}}')
  const bad = await hub(policy, ...robot, '--task', 'task.json')
  expect(bad).toMatchObject({ code: 1, err: expect.stringMatching(/task\.json is not a task: success\.condition/) })
  expect((await hub(policy, '--robot', policy)).err).toContain('has no robot_card.json')
  expect((await hub(join(examples, 'robot'), ...robot)).err).toContain('has no ONNX file')
  await writeFile(
    join(work, 'task.json'),
    '{"version":1,"name":"x","seconds":1,"success":{"condition":{"joint":"knee","position":[0,1]}}}',
  )
  const lacking = await hub(policy, ...robot, '--task', 'task.json')
  expect(lacking).toMatchObject({ code: 1, err: expect.stringContaining('The task names the joint "knee"') })
})

it('names the cameras that a policy sees by and the robot does not have', async () => {
  const folder = join(work, 'sees')
  await mkdir(folder)
  const sizes = (...of: number[]) => field(1, Buffer.concat(of.map((size) => varint(size))))
  const model = onnx({
    inputs: { 'observation.images.wrist': ['batch', 3, 4, 4] },
    outputs: { actions: ['batch', 1] },
    weights: [[sizes(48, 1), field(2, 1), field(8, 'w'), field(9, Buffer.alloc(4 * 48))]],
    nodes: [
      [field(1, 'observation.images.wrist'), field(2, 'flat'), field(4, 'Flatten')],
      [field(1, 'flat'), field(1, 'w'), field(2, 'actions'), field(4, 'MatMul')],
    ],
  })
  await writeFile(join(folder, 'policy.onnx'), model)
  const refused = await hub(folder, ...robot, '-n', '1')
  const why = 'The policy sees pictures of "wrist" (4 x 4): the model has no camera: add <camera name="wrist" .../>'
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(why) })
})

it('ends where an episode cannot be written', async () => {
  await mkdir(join(work, 'taken', 'seed-1.json'), { recursive: true })
  const unwritten = await hub(policy, ...robot, '-n', '1', '--episodes', 'taken')
  expect(unwritten).toMatchObject({ code: 1, err: expect.stringContaining('An episode cannot be written: EISDIR') })
})
