/** `hub runs compare` and `hub runs metrics`: runs beside each other, and curves in the terminal. */
import { beforeAll, expect, it } from 'vitest'
import { registerRunCommands } from '../../packages/cli/src/run-commands.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let key: string
const runs: string[] = []

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
  for (const lr of [0.1, 0.01]) {
    const recipe = { template: 'act', dataset: [], hyperparams: { lr, seed: 7 } }
    const { json } = await hub.call(ada, 'POST', '/v1/runs', { recipe, name: `lr ${lr}` })
    await hub.call(key, 'POST', `/v1/runs/${json.id}/claim`, { worker: 'w' })
    const metrics = [1, 2, 3].map((step) => ({ step, loss: lr / step, 'only first': step }))
    await hub.call(key, 'POST', `/v1/runs/${json.id}/report`, {
      config_yaml: `lr: ${lr}\nseed: 7\n`,
      metrics: runs.length === 0 ? metrics : metrics.map(({ step, loss }) => ({ step, loss })),
    })
    runs.push(json.id)
  }
})

const env = () => ({ HUB_URL: hub.running.url, HUB_TOKEN: key })
const run = (...args: string[]) => runCommandLine(registerRunCommands, ['runs', ...args], env())

it('shows the settings that differ and the last values of each', async () => {
  const { code, out } = await run('compare', ...runs)
  expect(code).toBe(0)
  expect(out).toMatch(/^name +lr 0\.1 +lr 0\.01$/m)
  expect(out).toMatch(/lr +0\.1 +0\.01$/m)
  expect(out).not.toContain('seed')
  expect(out).toMatch(/^loss +0\.033333 +0\.0033333 -90%$/m)
  expect(out).toMatch(/^only first +3 +-$/m)
  expect(out).toMatch(/^Best values\nloss /m)
  expect(out).toMatch(/^1 metric of the machine and of steps: --all has them all\.$/m)
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  const { runs: listed } = JSON.parse((await run('compare', ...runs, '--json')).out)
  expect(listed).toMatchObject([
    { id: runs[0], metrics: { 'only first': '3' } },
    { id: runs[1], display_name: 'lr 0.01', settings: { lr: '0.01' }, values: { loss: { last_delta: -0.03 } } },
  ])
  const all = await runCommandLine(registerRunCommands, ['compare', ...runs, '--all'], env())
  expect(all.out).toMatch(/^seed +7 +7$/m)
  expect(all.out).toMatch(/^step +3 +3 =$/m)
})

it('wants two to eight runs', async () => {
  const [first = ''] = runs
  expect(await run('compare', first, first)).toMatchObject({ code: 2, err: expect.stringContaining('2 to 8 runs') })
})

it('draws the curve of any metric, and says which there are', async () => {
  const [first = ''] = runs
  const { out } = await run('metrics', first, 'loss')
  expect(out).toMatch(/^loss +[▁-█]+ +0\.033333 +step 3$/m)
  expect((await run('metrics', first)).out).toContain('only first')
  expect(await run('metrics', first, 'lost')).toMatchObject({
    code: 1,
    err: expect.stringContaining('loss, only first'),
  })
})

it('draws a run on a terminal, and elsewhere only what is asked for', async () => {
  const [first = ''] = runs
  const shown = (...args: string[]) =>
    runCommandLine(
      registerRunCommands,
      ['run', first, ...args],
      { ...env(), NO_COLOR: '1' },
      undefined,
      undefined,
      true,
    )
  const { code, out } = await shown()
  expect(code).toBe(0)
  expect(out).toMatch(/^loss {2}latest 0\.033333, min 0\.033333, max 0\.1\n0\.10 ┤/m)
  expect(out).toMatch(/^ +└─+\n +1 +2 +3$/m)
  expect(out).toMatch(/^settings\n {2}template +act\n/m)
  expect(out).not.toContain('\x1b')
  expect((await shown('--no-plot')).out).not.toContain('┤')
  expect((await run(first)).out).not.toContain('┤')
  const { out: asked } = await run(first, '--plot', 'only first,loss', '--log')
  expect(asked.match(/^(?:only first|loss) {2}latest .*, logarithmic$/gm)).toHaveLength(2)
  expect(await run(first, '--plot', 'lost')).toMatchObject({ code: 1, err: expect.stringContaining('no metric lost') })
  const json = JSON.parse((await run(first, '--json')).out)
  expect(json).toMatchObject({
    id: first,
    settings: { lr: '0.1', seed: '7', template: 'act' },
    summary: [{ key: 'step' }, { key: 'loss' }, {}],
  })
  expect(json).not.toHaveProperty('series')
})

it('watches a run until it ends, a line for each change, and fails as the run did', async () => {
  const [, second = ''] = runs
  const watching = run(second, '--watch')
  await hub.call(key, 'POST', `/v1/runs/${second}/report`, { status: 'failed', error: 'no power' })
  const { code, out, err } = await watching
  expect([code, err]).toEqual([1, 'hub: the run has ended: failed\n'])
  expect(out).toMatch(/^(?:running.*loss 0\.0033333\n)?failed.*loss 0\.0033333\n$/)
})

it('lists runs with columns of metrics and settings', async () => {
  const [first = '', second = ''] = runs
  const listed = await run('--columns', 'loss,loss:max,config.lr,nothing', '--sort', 'loss', '--order', 'desc')
  expect(listed.err).toBe('hub: no listed run has nothing\n')
  expect(listed.out.split('\n')).toEqual([
    expect.stringMatching(/^run +status +done +sorted by +loss +loss:max +config\.lr +nothing +name$/),
    expect.stringMatching(new RegExp(`^${first} +\\w+ +0\\.033333 +0\\.033333 +0\\.1 +0\\.1 +- +lr 0\\.1$`)),
    expect.stringMatching(new RegExp(`^${second} +\\w+ +0\\.0033333 +0\\.0033333 +0\\.01 +0\\.01 +- +lr 0\\.01$`)),
    '2 runs',
    '',
  ])
  const { out } = await run('--columns', 'loss:max,config.lr', '--limit', '1', '--gated', '--json')
  expect(JSON.parse(out)).toEqual({ runs: [] })
  const json = JSON.parse((await run('--columns', 'loss:max,config.lr', '--limit', '1', '--no-gated', '--json')).out)
  expect(json.runs).toMatchObject([{ id: second, columns: { 'loss:max': 0.01, 'config.lr': '0.01' } }])
})
