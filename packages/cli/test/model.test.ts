// @module-tag sampled
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { needs } from '@hub/testing/needs'
import { noRobots, sharedDir } from '@hub/testing/shared'
import { inTorture, itInTorture, itOnce } from '@hub/testing/torture'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerModelCommand } from '../src/model-command.ts'

let base: string
const dir = (name = 'arm') => join(base, name)

const arm = `<mujoco model="arm">
  <asset><mesh name="hand" file="m/hand.obj"/></asset>
  <worldbody><body name="upper"><joint name="shoulder"/><geom size="0.1"/>
    <body name="lower"><joint name="lift" type="slide"/><geom size="0.1"/><geom type="mesh" mesh="hand"/></body></body></worldbody>
  <keyframe><key name="home" qpos="0 0"/></keyframe>
</mujoco>`
const mesh = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n'

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-model-'))
  await mkdir(join(dir(), 'm'), { recursive: true })
  await mkdir(dir('broken'))
  await writeFile(join(dir(), 'arm.xml'), arm)
  await writeFile(join(dir(), 'm/hand.obj'), mesh)
  await writeFile(join(dir('broken'), 'arm.xml'), arm)
  await writeFile(join(dir('broken'), 'bad.xml'), '<mujoco><worldbdy/></mujoco>')
})

afterAll(() => rm(base, { recursive: true, force: true }))

/** What MuJoCo made of the robots of the shared folder, by root file. */
interface Expected {
  readonly compiles: boolean
  readonly model: string
  readonly base: string | null
  readonly joints: readonly string[] | null
  readonly keyframes: readonly string[] | null
  readonly files: readonly string[]
}
const robots = join(sharedDir() ?? '/nowhere', 'robots')
const expected: Record<string, Partial<Expected>> = existsSync(join(robots, 'expected.json'))
  ? JSON.parse(readFileSync(join(robots, 'expected.json'), 'utf8'))
  : {}
const roots = Object.keys(expected)

function sink(isTTY = false) {
  let text = ''
  const stream = new Writable({
    write(chunk, _, done) {
      text += String(chunk)
      done()
    },
  })
  return { stream: Object.assign(stream, { isTTY }), text: () => text }
}

async function hubModel(args: readonly string[], input: NodeJS.ReadableStream = Readable.from([])) {
  const [out, err] = [sink(), sink()]
  let code = -1
  const program = new Command('hub')
    .exitOverride()
    .configureOutput({ writeOut: (text) => out.stream.write(text), writeErr: (text) => err.stream.write(text) })
  registerModelCommand(program, {
    cwd: process.cwd(),
    stdin: input,
    stdout: out.stream,
    stderr: err.stream,
    exit: (value) => {
      code = value
    },
    onInterrupt: () => () => undefined,
  })
  await program.parseAsync(['node', 'hub', 'model', ...args]).catch(() => undefined)
  return { code, out: out.text(), err: err.text() }
}

const jsonOf = ({ out }: { out: string }) => JSON.parse(out)

describe('hub model DIR ENTRY', () => {
  itOnce('prints the model, joints, keyframes, files and checks, and exits with 0', async () => {
    const { code, out, err } = await hubModel([dir(), 'arm.xml'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('arm.xml: MJCF model arm, base fixed\n')
    expect(out).toContain('  joints (2)\n    shoulder  hinge\n    lift      slide\n')
    expect(out).toContain('  keyframes: home\n')
    expect(out).toMatch(/ files \(2, \d+ B\)\n +\d+ B {2}arm\.xml\n +\d+ B {2}m\/hand\.obj\n/)
    expect(out).toMatch(/✓ mjcf\.parses/)
    expect(out).toMatch(/All \d checks passed/)
    expect(out).not.toContain('\x1b')
  })

  itInTorture('prints the model summary and checks as one object with --json', async () => {
    const ended = await hubModel([dir(), 'arm.xml', '--json'])
    const report = jsonOf(ended)
    expect(Object.keys(report).sort()).toEqual(['base', 'checks', 'files', 'joints', 'keyframes', 'model'])
    expect(report).toMatchObject({
      model: 'arm',
      base: 'fixed',
      joints: ['shoulder', 'lift'],
      files: ['arm.xml', 'm/hand.obj'],
      keyframes: ['home'],
    })
    expect(report.checks.map(({ status }: { status: string }) => status)).not.toContain('fail')
    expect(ended.out.trimEnd()).not.toContain('\n')
  })

  itInTorture('lists every missing file with a hint, and exits with 1', async () => {
    const { code, out } = await hubModel([dir('broken'), 'arm.xml'])
    expect(code).toBe(1)
    expect(out).toMatch(/✗ assets\.closure .*m\/hand\.obj/)
    expect(out).toMatch(/→ .*m\/hand\.obj/)
    expect(out).toMatch(/1 check failed/)
  })

  itOnce('shows the location of the error that MuJoCo reports', async () => {
    const { code, out } = await hubModel([dir('broken'), 'bad.xml'])
    expect(code).toBe(1)
    expect(out).toContain('bad.xml: MuJoCo does not compile this model.')
    expect(out).toMatch(/✗ mjcf\.parses +bad\.xml:1: .*worldbdy/)
  })

  itInTorture('accepts an entry path relative to the working directory', async () => {
    const from = process.cwd()
    process.chdir(base)
    try {
      for (const entry of ['arm.xml', './arm.xml', 'arm/arm.xml', join(dir(), 'arm.xml')]) {
        expect([entry, jsonOf(await hubModel(['arm', entry, '--json'])).model]).toEqual([entry, 'arm'])
      }
    } finally {
      process.chdir(from)
    }
  })

  itOnce('fails for an entry that is missing or outside the folder', async () => {
    for (const entry of ['none.xml', '../broken/bad.xml']) {
      const ended = await hubModel([dir(), entry, '--json'])
      expect([ended.code, jsonOf(ended).checks[0]]).toEqual([
        1,
        expect.objectContaining({ code: 'mjcf.exists', status: 'fail' }),
      ])
    }
  })

  itOnce.each([
    [[], /hub model DIR ENTRY/],
    [['--nope'], /unknown option/],
    [['--stdin', 'x'], /standard input only/],
    [['/nowhere/at/all'], /not a folder/],
  ])('with %j is wrong usage and exits with 2', async (args, said) => {
    const { code, err } = await hubModel(args)
    expect([code, err]).toEqual([2, expect.stringMatching(said)])
  })

  itOnce('lists the models of the folder if no entry is given', async () => {
    const { code, err } = await hubModel([dir('broken')])
    expect([code, err]).toEqual([2, expect.stringContaining('It contains arm.xml, bad.xml.')])
    const sample = fileURLToPath(new URL('../../../examples/robot', import.meta.url))
    const parts = await hubModel([sample])
    expect(parts.err).toContain(`hub model ${sample} scene.xml.`)
  })

  itOnce('has a help text', async () => {
    const { code, out } = await hubModel(['--help'])
    expect(code).toBe(0)
    expect(out).toContain('hub model --stdin')
  })
})

describe('hub model --stdin', () => {
  const line = (name: string, entry: string) => JSON.stringify({ dir: dir(name), entry })

  itOnce('reports on every line in order, even invalid ones, and exits with 1 if one failed', async () => {
    const lines = [
      line('arm', 'arm.xml'),
      'not json',
      line('broken', 'arm.xml'),
      '',
      line('nowhere', 'x.xml'),
      '{"dir":1}',
    ]
    const many = Array.from({ length: 20 }, () => line('arm', 'arm.xml'))
    const { code, out } = await hubModel(['--stdin'], Readable.from([[...lines, ...many].join('\n')]))
    const answers = out
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(code).toBe(1)
    expect(answers).toHaveLength(25)
    const failed = (answer: { checks: { status: string }[] }) => answer.checks.some(({ status }) => status === 'fail')
    expect(answers.map(failed)).toEqual([false, true, true, true, true, ...many.map(() => false)])
    expect(answers[1].error).toContain('Line 2')
    expect(answers[3].error).toContain('not a folder')
    expect(answers.slice(5).map(({ joints }) => joints)).toEqual(many.map(() => ['shoulder', 'lift']))
  })

  itOnce('exits with 0 if nothing failed, even for no lines', async () => {
    expect(await hubModel(['--stdin'], Readable.from([`${line('arm', 'arm.xml')}\n`]))).toMatchObject({
      code: 0,
      err: '',
    })
    expect(await hubModel(['--stdin'])).toEqual({ code: 0, out: '', err: '' })
  })

  inTorture(() => {
    it('agrees with MuJoCo on a set of real robots', needs(noRobots), async () => {
      const lines = roots.map((root) => {
        const [robot = '', ...entry] = root.split('/')
        return JSON.stringify({ dir: join(robots, robot), entry: entry.join('/') })
      })
      const { code, out } = await hubModel(['--stdin'], Readable.from([lines.join('\n')]))
      const answers = out
        .trimEnd()
        .split('\n')
        .map((text) => JSON.parse(text))
      const told = answers.map(({ checks, ...summary }) => summary)
      const wanted = roots.map((root) => {
        const { compiles, model, base, joints, keyframes, files } = expected[root] ?? {}
        return {
          model,
          base: base ?? null,
          joints: joints ?? [],
          keyframes: keyframes ?? [],
          files: compiles ? files?.toSorted() : expect.any(Array),
        }
      })
      expect(told).toEqual(wanted)
      expect(code).toBe(1)
    })
  })

  itOnce('reports on a line before the next one is written', async () => {
    const input = new PassThrough()
    const out = sink()
    const program = new Command('hub').exitOverride()
    const answered = new Promise<void>((resolve) => {
      const stdout = {
        write(text: string) {
          out.stream.write(text)
          resolve()
        },
      }
      const io = {
        cwd: process.cwd(),
        stdin: input,
        stdout,
        stderr: sink().stream,
        exit: () => undefined,
        onInterrupt: () => () => undefined,
      }
      registerModelCommand(program, io)
    })
    const ended = program.parseAsync(['node', 'hub', 'model', '--stdin'])
    input.write(`${line('arm', 'arm.xml')}\n`)
    await Promise.race([answered, ended])
    expect(JSON.parse(out.text()).model).toBe('arm')
    input.end()
    await ended
  })
})
