import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerRunCommands } from '../../packages/cli/src/run-commands.ts'
import { sparkText } from '../../packages/cli/src/run-output.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let env: Record<string, string>
let base: string
let ada: Person

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-runs-'))
  ada = await hub.person()
  const key = await hub.key(ada, { scope: 'train' })
  env = { HUB_URL: hub.running.url, HUB_TOKEN: key, HOME: base }
})
afterAll(() => rm(base, { recursive: true, force: true }))

const run = (...args: string[]) => runCommandLine(registerRunCommands, args, env)
const json = async (...args: string[]): Promise<Json> => JSON.parse((await run(...args, '--json')).out)

describe('hub submit', () => {
  it('submits a recipe file, whose values flags override', async () => {
    const file = join(base, 'recipe.json')
    await writeFile(
      file,
      JSON.stringify({ template: 'act', dataset: [], robot: 'arm', hyperparams: { lr: 1, seed: 1 } }),
    )
    const made = await json('submit', file, '--set', 'seed=2', '--set', 'name=plain text', '--max-hours', '1.5')
    expect(made).toMatchObject({
      status: 'queued',
      recipe: { template: 'act', robot: 'arm', max_hours: 1.5, hyperparams: { lr: 1, seed: 2, name: 'plain text' } },
    })
  })
  it('submits a recipe from flags alone and prints the run', async () => {
    const ended = await run('submit', '--template', 'act', '--dataset', 'exthub://lab/data', '--set', 'run_name=first')
    expect(ended).toMatchObject({ code: 0, err: '' })
    expect(ended.out).toMatch(/^run +run_\w+ {2}first\nstatus +queued\n/)
  })
  it('warns about a robot or dataset that does not exist, and submits', async () => {
    const robot = await hub.repo(ada, { kind: 'robot' })
    const dataset = await hub.repo(ada)
    const hidden = await hub.repo(await hub.person())
    const submitted = (...args: string[]) => run('submit', '--template', 'act', ...args)
    const warned = async (...args: string[]) => {
      const { code, out, err } = await submitted(...args)
      expect([code, out]).toEqual([0, expect.stringContaining('queued')])
      return err
    }
    expect(await warned('--robot', robot, '--dataset', `svc://${dataset}`)).toBe('')
    expect(await warned('--robot', 'arm', '--dataset', 'exthub://lab/data')).toBe('')
    expect(await warned('--robot', 'ada/no-such-robot')).toBe(
      'hub: warning: the robot ada/no-such-robot is not on this hub, or not visible to you\n',
    )
    expect(await warned('--dataset', `svc://${hidden}`, '--dataset', `svc://${robot}`, '--robot', dataset)).toBe(
      [
        `hub: warning: ${dataset} is a dataset on this hub, not a robot`,
        `hub: warning: the dataset ${hidden} is not on this hub, or not visible to you`,
        `hub: warning: ${robot} is a robot on this hub, not a dataset`,
        '',
      ].join('\n'),
    )
  })
  it('warns about recipe fields that have no effect', async () => {
    const ended = await run('submit', '--template', 'act', '--budget', '5')
    expect(ended).toMatchObject({ code: 0, err: expect.stringMatching(/^hub: warning: recipe\.budget_usd: /) })
  })
  it.each([
    [[], 2, 'Specify a trainer'],
    [['--template', 'act', '--set', 'seed'], 2, 'name=value'],
    [['--template', 'act', '--max-hours', 'long'], 2, '--max-hours takes a number'],
    [['--template', 'nope'], 5, 'recipe.template'],
    [['nofile.json'], 1, 'cannot be read'],
  ])('exits %j with %i', async (args, code, said) => {
    const ended = await run('submit', ...args)
    expect(ended).toMatchObject({ code, err: expect.stringContaining(said) })
  })
})

describe('hub runs and hub cancel', () => {
  it('list with filters, show a run, cancel it once, and delete it after it has ended', async () => {
    const { id } = await json('submit', '--template', 'act', '--robot', 'lonely')
    expect(await run('runs', 'delete', id, '--yes')).toMatchObject({ code: 5, err: expect.stringContaining('queued') })
    expect((await json('runs', '--robot', 'lonely')).runs).toMatchObject([{ id }])
    expect((await run('runs', '--robot', 'lonely')).out).toMatch(new RegExp(`^${id} {2}queued .*\\n1 run\\n$`))
    expect((await json('runs', '--limit', '1')).runs).toHaveLength(1)
    expect((await run('runs', id)).out).toContain('queued')
    expect(await json('cancel', id)).toMatchObject({ id, status: 'canceled' })
    expect(await run('cancel', id)).toMatchObject({ code: 5 })
    expect(await run('cancel', 'run_nope')).toMatchObject({ code: 4 })
    expect(await json('runs', 'delete', id, '--yes')).toEqual({ id })
    expect(await run('runs', 'delete', id, '--yes')).toMatchObject({ code: 4 })
    expect((await json('runs', '--robot', 'lonely')).runs).toEqual([])
  })
})

describe('the curve in block characters', () => {
  it.each([
    [[], ''],
    [[[0, 5]], '▁'],
    [
      [
        [0, 0],
        [1, 1],
        [2, 2],
        [3, 3],
        [4, 4],
        [5, 5],
        [6, 6],
        [7, 7],
      ],
      '▁▂▃▄▅▆▇█',
    ],
    [
      [
        [0, 1],
        [1, 1],
        [100, 9],
      ],
      '▁█',
    ],
  ])('for %j is %j', (points, text) => {
    expect(sparkText({ metric: 'reward', points })).toBe(text)
  })
})
