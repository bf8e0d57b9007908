/** The runner against a complete hub: every line of the command is reported once. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerLogCommand } from '../../packages/cli/src/log-command.ts'
import { registerRunnerCommand } from '../../packages/cli/src/runner-command.ts'
import { type CommandEnded, runCommandLine } from '../support/command-line.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let base: string
let env: Record<string, string>
let ada: Person

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-runner-'))
  ada = await hub.person()
  env = {
    PATH: process.env.PATH ?? '',
    HUB_URL: hub.running.url,
    HUB_TOKEN: await hub.key(ada, { scope: 'train' }),
    HOME: base,
  }
})
afterAll(() => rm(base, { recursive: true, force: true }))

async function submit(hyperparams: object = {}): Promise<string> {
  const made = await hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [], hyperparams } })
  expect(made.status).toBe(201)
  return made.json.id
}
const bearer = () => ({ headers: { authorization: `Bearer ${env.HUB_TOKEN}` } })
const get = async (id: string): Promise<Json> => (await hub.call(ada, 'GET', `/v1/runs/${id}`)).json
const logs = (...args: string[]) => runCommandLine(registerLogCommand, ['logs', ...args], env)

/** Runs the runner; its command runs `script`. */
async function runner(
  script: string,
  args: string[] = [],
  stopWith?: (stop: () => void) => void,
  graceMs = 500,
): Promise<CommandEnded> {
  const file = join(base, `${Math.random().toString(36).slice(2)}.mjs`)
  await writeFile(file, script)
  const pace = { intervalMs: 100, graceMs }
  const all = [
    'runner',
    '--owner',
    ada.handle,
    '--once',
    '--json',
    '--name',
    'box',
    '--command',
    `node ${file}`,
    ...args,
  ]
  return runCommandLine((program, io) => registerRunnerCommand(program, io, pace), all, env, stopWith)
}

const hello = `
import { mkdirSync, readFileSync, renameSync, writeFileSync, appendFileSync } from 'node:fs'
const recipe = JSON.parse(readFileSync(0, 'utf8'))
console.log('recipe', JSON.stringify(recipe.hyperparams))
console.log('key', process.env.HUB_TOKEN, 'run', process.env.HUB_RUN_ID, process.env.HUB_RUN_DIR === process.cwd())
writeFileSync('config.yaml', 'lr: 1\\nnet:\\n  hidden: 16\\n')
for (let iteration = 1; iteration <= 20; iteration += 1) {
  console.log('line', iteration, 'grüße 🤖')
  if (iteration % 5 === 0) console.error('note', iteration)
  appendFileSync('metrics.jsonl', JSON.stringify({ iteration, reward: -20 + iteration, samples_per_s: 5 }) + '\\n')
  if (iteration % 10 === 0) {
    mkdirSync('checkpoints/.new', { recursive: true })
    writeFileSync('checkpoints/.new/policy.bin', 'policy ' + iteration)
    renameSync('checkpoints/.new', 'checkpoints/step_' + iteration)
  }
  await new Promise((done) => setTimeout(done, 20))
}
writeFileSync('scorecard.json', JSON.stringify({ gates: [{ name: 'stands', status: 'PASS' }] }))
process.stdout.write('the end')
`

const expectedLines = (id: string, hyperparams: string) => [
  `recipe ${hyperparams}`,
  `key undefined run ${id} true`,
  ...Array.from({ length: 20 }, (_, n) => n + 1).flatMap((n) => [
    `line ${n} grüße 🤖`,
    ...(n % 5 === 0 ? [`note ${n}`] : []),
  ]),
  'the end',
]

describe('hub runner', () => {
  it('reports log, metrics, config, checkpoints and scorecard of a successful command', async () => {
    const id = await submit({ iterations: 20, run_name: 'First Try' })
    const ended = await runner(hello)
    expect([ended.code, JSON.parse(ended.out)]).toEqual([0, { run: id, status: 'succeeded', error: null }])
    const run = await get(id)
    expect(run).toMatchObject({
      status: 'succeeded',
      claimed_by: 'box',
      gate: { passed: 1, total: 1 },
      latest_metrics: { iteration: 20, reward: 0 },
      progress: { iteration: 20, total_iterations: 20, fraction: 1, step_key: 'iteration' },
      samples_per_s: 5,
      error: null,
    })
    expect(run.output_model_repo.full_name).toBe(`${ada.handle}/first-try-${id.slice(-8)}`)
    expect(run.sparkline.points).toHaveLength(20)
    const log = await logs(id)
    expect(log).toMatchObject({ code: 0, err: '' })
    expect(log.out.trimEnd().split('\n')).toEqual(expectedLines(id, '{"iterations":20,"run_name":"First Try"}'))
    const metrics = await logs(id, '--metrics', '--json')
    const events = metrics.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.map(({ data }) => data.iteration ?? data.status)).toEqual([
      ...Array.from({ length: 20 }, (_, n) => n + 1),
      'succeeded',
    ])
    const config = (await hub.call(ada, 'GET', `/v1/runs/${id}/config`)).json
    expect(config.keys.map(({ path, value }: Json) => [path, value])).toEqual([
      ['lr', '1'],
      ['net.hidden', '16'],
    ])
    const { items, repo } = (await hub.call(ada, 'GET', `/v1/runs/${id}/checkpoints`)).json
    expect([repo.full_name, items.map(({ step, bytes }: Json) => [step, bytes])]).toEqual([
      run.output_model_repo.full_name,
      [
        [10, 9],
        [20, 9],
      ],
    ])
    const versions = (await hub.call(ada, 'GET', `/v1/repos/${repo.full_name}/commits`)).json.items
    expect(versions.map(({ run }: Json) => run?.id ?? null)).toEqual([id, id, null])
  })

  it('leaves no folder of a run whose files are all at the hub, and says where the others are', async () => {
    const work = join(base, 'work')
    const foldersAfter = async (script: string, ...args: string[]) => {
      const id = await submit()
      const { err } = await runner(script, ['--work-dir', work, ...args])
      const path = join(work, id, 'attempt-1', 'run')
      return [existsSync(join(work, id)), existsSync(path), err.includes(`its files are kept in ${path}`)]
    }
    const removed = [false, false, false]
    const kept = [true, true, true]
    expect(await foldersAfter(hello)).toEqual(removed)
    expect(await foldersAfter('process.exit(3)')).toEqual(removed)
    expect(await foldersAfter(hello, '--keep')).toEqual(kept)
    // The hub takes no scorecard that is not JSON, and no checkpoint whose paths are none.
    const write = (path: string, text: string) =>
      `import { mkdirSync, writeFileSync } from 'node:fs'\nmkdirSync('checkpoints/step_1', { recursive: true })\nwriteFileSync(${JSON.stringify(path)}, ${JSON.stringify(text)})`
    expect(await foldersAfter(write('scorecard.json', 'none'))).toEqual(kept)
    expect(await foldersAfter(write('checkpoints/step_1/back\\slash', 'x'))).toEqual(kept)
  })

  it('splits large output into accepted chunks and drops only invalid metrics lines', async () => {
    const id = await submit()
    const { code, err } = await runner(`
        import { writeFileSync } from 'node:fs'
        for (let n = 0; n < 20000; n += 1) console.log(n + ' ' + 'ä🤖'.repeat(n % 30))
        console.log('x'.repeat(600000))
        const line = (n) => n === 700 ? 'nonsense' : JSON.stringify({ step: n, reward: n === 3 ? NaN : n })
        writeFileSync('metrics.jsonl', Array.from({ length: 12000 }, (_, n) => line(n)).join('\\n'))`)
    expect(code).toBe(0)
    expect(err).toContain('dropped a line of metrics.jsonl: not JSON: nonsense')
    const text = await (await fetch(`${env.HUB_URL}/v1/runs/${id}/logs/download`, bearer())).text()
    const lines = text.split('\n')
    const whole = Array.from({ length: 20_000 }, (_, n) => `${n} ${'ä🤖'.repeat(n % 30)}`)
    expect(lines.slice(0, 20_000)).toEqual(whole)
    expect(lines.slice(20_000).join('')).toBe('x'.repeat(600_000))
    expect(await get(id)).toMatchObject({ status: 'succeeded', latest_metrics: { step: 11_999 } })
    const metrics = await logs(id, '--metrics')
    expect(metrics.out.trimEnd().split('\n')).toHaveLength(11_999)
  })

  it('keeps lines that are not valid text', async () => {
    const id = await submit()
    const { err } = await runner(`
      import { writeFileSync } from 'node:fs'
      process.stdout.write(Buffer.from([97, 0, 98, 255, 27, 91, 51, 49, 109, 10]))
      writeFileSync('metrics.jsonl', '{"step":1}\\n{"bad":"\\\\u0000"}\\n{"step":2}\\n')
      console.log('\\x1b[31mafter\\0')
      process.exitCode = 2`)
    expect(err).not.toContain('dropped rejected log lines')
    expect(err).toContain('dropped rejected lines of metrics.jsonl')
    expect(await get(id)).toMatchObject({
      status: 'failed',
      latest_metrics: { step: 2 },
      error: expect.stringMatching(
        /^The command ended with exit code 2: after\nSome metrics were not sent: .*NUL.*\nThe files are kept in /,
      ),
    })
    const { out } = await logs(id, '--json')
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).data.line)
    expect(lines).toEqual(['a\0b\ufffd\x1b[31m', '\x1b[31mafter\0', undefined])
  })

  it('reports why a command failed', async () => {
    const id = await submit()
    const ended = await runner("console.log('loading'); console.error('no such dataset'); process.exit(3)")
    expect(ended.code).toBe(1)
    expect(await get(id)).toMatchObject({
      status: 'failed',
      error: 'The command ended with exit code 3: no such dataset',
    })
    expect((await logs(id)).out).toBe('loading\nno such dataset\n')
  })

  const until = (signal: string) =>
    `process.on('SIGTERM', () => { ${signal} }); console.log('up'); setInterval(() => {}, 1000)`
  const endless = until('')
  const isUp = async (id: string) => (await logs(id)).out.includes('up')

  it('stops an endless command when the run is canceled', async () => {
    const id = await submit()
    const ended = runner(endless)
    await expect.poll(() => isUp(id)).toBe(true)
    expect((await hub.call(ada, 'POST', `/v1/runs/${id}/cancel`)).status).toBe(202)
    expect(await ended).toMatchObject({ code: 1 })
    expect(await get(id)).toMatchObject({ status: 'canceled' })
    expect((await logs(id)).out).toMatch(/^up\nhub: .* requested the run to stop\.\n/)
  })

  it('keeps what a command says after it was asked to end', async () => {
    const id = await submit()
    // All the time that it needs: it ends by itself.
    const ended = runner(until("console.log('saving'); process.exitCode = 7; process.exit()"), [], undefined, 100_000)
    await expect.poll(() => isUp(id)).toBe(true)
    expect((await hub.call(ada, 'POST', `/v1/runs/${id}/cancel`)).status).toBe(202)
    expect(await ended).toMatchObject({ code: 1 })
    expect(await get(id)).toMatchObject({ status: 'canceled' })
    expect((await logs(id)).out).toMatch(/^up\nhub: .* requested the run to stop\.\n(Terminated\n)?saving\n/)
  })

  it('reports a run as failed when the runner is stopped', async () => {
    const id = await submit()
    let stop = () => {}
    const ended = runner(endless, [], (given) => {
      stop = given
    })
    await expect.poll(() => isUp(id)).toBe(true)
    stop()
    expect((await ended).code).toBe(1)
    expect(await get(id)).toMatchObject({ status: 'failed', error: 'The runner was stopped.' })
  })

  it('stops the command if the claim is lost', async () => {
    const id = await submit()
    const ended = runner(endless)
    await expect.poll(() => isUp(id)).toBe(true)
    await hub.running.deps.db.query({ name: '', text: 'update runs set attempt = attempt + 1 where id = $1' }, [id])
    const { code, out, err } = await ended
    expect([code, JSON.parse(out).status]).toEqual([1, 'lost'])
    expect(err).toContain('claim lost')
  })

  it('requires a command and a key with scope train', async () => {
    const bare = { ...env, HUB_TOKEN: await hub.key(ada, { scope: 'read' }) }
    const start = (more: string[], given: Record<string, string>) =>
      runCommandLine(registerRunnerCommand, ['runner', '--owner', ada.handle, '--once', ...more], given)
    expect(await start([], env)).toMatchObject({ code: 2, err: expect.stringContaining('HUB_RUNNER_COMMAND') })
    expect(await start(['--command', 'true'], bare)).toMatchObject({ code: 3 })
  })
})
