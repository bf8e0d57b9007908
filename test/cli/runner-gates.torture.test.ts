/** The runner against a complete hub: the battery gates checkpoints, and max_hours ends a run in time. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerRunnerCommand } from '../../packages/cli/src/runner-command.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let base: string
let env: Record<string, string>
let ada: Person

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-gates-'))
  ada = await hub.person()
  env = {
    PATH: process.env.PATH ?? '',
    HUB_URL: hub.running.url,
    HUB_TOKEN: await hub.key(ada, { scope: 'train' }),
    HOME: base,
  }
})
afterAll(() => rm(base, { recursive: true, force: true }))

async function submit(recipe: Json): Promise<string> {
  const made = await hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [], ...recipe } })
  expect(made.status).toBe(201)
  return made.json.id
}
const get = async (id: string): Promise<Json> => (await hub.call(ada, 'GET', `/v1/runs/${id}`)).json
const notices = async (id: string) =>
  (await hub.sql<{ text: string | null }>('select text from run_log_chunks where run_id = $1', [id]))
    .map(({ text }) => text ?? '')
    .join('')
const gated = async (id: string) => {
  const query =
    'query ($id: ID!) { run(id: $id) { gateResults { step passCount cellCount aliveCount seedCount rolloutId } } }'
  return (await hub.graphql(ada, query, { id })).data.run.gateResults
}

const fileOf = async (script: string) => {
  const file = join(base, `${Math.random().toString(36).slice(2)}.mjs`)
  await writeFile(file, script)
  return file
}
/** Runs the runner; it checks for checkpoints twice a second. */
async function runner(script: string, battery: string | null) {
  const args = ['runner', '--owner', ada.handle, '--once', '--json', '--name', 'box', '--command']
  args.push(`node ${await fileOf(script)}`, '--gate-every', '0.5')
  if (battery !== null) args.push('--battery-command', `node ${await fileOf(battery)}`)
  const pace = { intervalMs: 100, graceMs: 500 }
  return runCommandLine((program, io) => registerRunnerCommand(program, io, pace), args, env)
}

/** A trainer that writes the checkpoints of these steps, then runs `after`. */
const trainer = (steps: readonly number[], after = '') => `
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
for (const step of ${JSON.stringify(steps)}) {
  mkdirSync('checkpoints/.new', { recursive: true })
  writeFileSync('checkpoints/.new/policy.bin', 'policy ' + step)
  renameSync('checkpoints/.new', 'checkpoints/step_' + step)
}
${after}`
const endless = 'setInterval(() => {}, 1000)'

/** A battery that passes its cells from step 25 on and records its input. */
const battery = (record: string) => `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
const { HUB_GATE_RESULTS, HUB_CHECKPOINT_STEP: step, HUB_CHECKPOINT_DIR: dir, ...env } = process.env
const given = Object.fromEntries(Object.entries(env).filter(([name]) => /^HUB_(GATE|RUN|TOKEN)/.test(name)))
const recipe = JSON.parse(readFileSync(0, 'utf8'))
appendFileSync(${JSON.stringify(record)}, JSON.stringify({ step, policy: readFileSync(dir + '/policy.bin', 'utf8'), every: recipe.gate.every_steps, given }) + '\\n')
const status = Number(step) >= 25 ? 'PASS' : 'FAIL'
const cells = [{ name: 'walk', status, detail: 'at ' + step }, { name: 'stand', status: 'PASS' }]
writeFileSync(HUB_GATE_RESULTS, JSON.stringify({ cells, seeds_run: 3, seeds_alive: 2, rollout_id: 'roll-' + step, extra: 1 }))`

describe('hub runner gates checkpoints', () => {
  it('at or past each multiple of every_steps, in order, with the recipe values', async () => {
    const gate = { every_steps: 10, battery: 'stairs', seeds: 5, video: 'poster', horizon_s: 2.5 }
    const id = await submit({ gate })
    const record = join(base, `${id}.jsonl`)
    // 5 is before the first multiple, 12 comes after 10 for the same multiple, 41 covers two multiples.
    const ended = await runner(trainer([5, 10, 12, 25, 41, 49]), battery(record))
    expect([ended.code, (await get(id)).status]).toEqual([0, 'succeeded'])
    expect(await gated(id)).toEqual(
      [10, 25, 41].map((step) => ({
        step,
        passCount: step >= 25 ? 2 : 1,
        cellCount: 2,
        aliveCount: 2,
        seedCount: 3,
        rolloutId: `roll-${step}`,
      })),
    )
    const lines = (await readFile(record, 'utf8')).trimEnd().split('\n')
    const seen = lines.map((line) => JSON.parse(line))
    expect(seen.map(({ step, policy, every }) => [step, policy, every])).toEqual([
      ['10', 'policy 10', 10],
      ['25', 'policy 25', 10],
      ['41', 'policy 41', 10],
    ])
    expect(seen[0].given).toMatchObject({
      HUB_GATE_BATTERY: 'stairs',
      HUB_GATE_SEEDS: '5',
      HUB_GATE_DELAY: '2',
      HUB_GATE_VIDEO: 'poster',
      HUB_GATE_HORIZON_S: '2.5',
      HUB_RUN_ID: id,
    })
    expect(Object.keys(seen[0].given)).not.toContain('HUB_GATE_CELL_COUNT')
    expect(Object.keys(seen[0].given)).not.toContain('HUB_TOKEN')
    expect(ended.err).toContain('gated step 25: 2 of 2 cells passed')
  })

  it('during training, and stops the run if a tripwire fires', async () => {
    const tripwires = [{ metric: 'pass_rate', op: '<', threshold: 0.9, consecutive: 2 }]
    const id = await submit({ gate: { every_steps: 10, tripwires } })
    const ended = await runner(trainer([10, 20, 30], endless), battery(join(base, `${id}.jsonl`)))
    expect(ended.code).toBe(1)
    expect(await get(id)).toMatchObject({ status: 'canceled', error: null })
    expect((await gated(id)).map(({ step }: Json) => step)).toEqual([10, 20])
    expect(await notices(id)).toContain('Tripwire pass_rate < 0.9 fired at step 20 (rollout roll-20)')
  })

  it('again after a battery failure, and logs the reason', async () => {
    const id = await submit({ gate: { every_steps: 10 } })
    const flag = join(base, `${id}.tried`)
    const flaky = `
      import { existsSync, writeFileSync } from 'node:fs'
      const [step, tried] = [process.env.HUB_CHECKPOINT_STEP, ${JSON.stringify(flag)}]
      if (step === '20') { console.error('no such simulator'); process.exit(4) }
      if (!existsSync(tried)) { writeFileSync(tried, ''); process.exit(0) }
      writeFileSync(process.env.HUB_GATE_RESULTS, JSON.stringify({ cells: [], seeds_run: 1, seeds_alive: 1 }))`
    const wait = `const { existsSync } = await import('node:fs')
      while (!existsSync('done')) await new Promise((done) => setTimeout(done, 50))`
    const working = runner(trainer([10, 20, 30], wait), flaky)
    await expect.poll(async () => (await gated(id)).length, { timeout: 100_000 }).toBe(2)
    const attempt = join(base, '.local/state/hub/runs', id, 'attempt-1')
    // What a run and its battery write is for nobody else on the machine.
    for (const folder of ['', 'run', 'gates', 'gates/step_10', 'gates/step_10/run'])
      expect([folder, (await stat(join(attempt, folder))).mode & 0o777]).toEqual([folder, 0o700])
    await writeFile(join(attempt, 'run/done'), '')
    const ended = await working
    expect(ended.code).toBe(0)
    expect((await gated(id)).map(({ step }: Json) => step)).toEqual([10, 30])
    expect(ended.err).toContain('step 10 is not gated yet: the battery command wrote no HUB_GATE_RESULTS')
    expect(ended.err).toContain('step 20 is not gated: the battery command ended with exit code 4: no such simulator')
  })

  it('only with a battery command, and logs if it is missing', async () => {
    const id = await submit({ gate: { every_steps: 10 } })
    const ended = await runner(trainer([10]), null)
    expect([ended.code, await gated(id)]).toEqual([0, []])
    expect(ended.err).toContain('this runner has no --battery-command: no checkpoint is gated')
  })

  it('until the run is canceled, and then stops the battery', async () => {
    const id = await submit({ gate: { every_steps: 10 } })
    const file = join(base, `${id}.pid`)
    const slow = `import { writeFileSync } from 'node:fs'
      writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)`
    const ended = runner(trainer([10], endless), slow)
    const pid = async () => Number(await readFile(file, 'utf8').catch(() => '0'))
    await expect.poll(pid).toBeGreaterThan(0)
    await hub.call(ada, 'POST', `/v1/runs/${id}/cancel`)
    expect((await ended).code).toBe(1)
    expect((await get(id)).status).toBe('canceled')
    const battery = await pid()
    // A killed process stays until the process that started it, or the system in its place, has taken note.
    await expect.poll(() => isThere(battery), { timeout: 100_000 }).toBe(false)
  })

  it.each(['0', '-1', 'often', ''])('refuses the interval %j', async (seconds) => {
    const args = ['runner', '--owner', ada.handle, '--once', '--command', 'true', '--gate-every', seconds]
    expect(await runCommandLine(registerRunnerCommand, args, env)).toMatchObject({ code: 2 })
  })
})

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('hub runner enforces max_hours', () => {
  it('without hearing from the hub', async () => {
    const id = await submit({ max_hours: 0.0006 })
    const ended = await runner(`process.on('SIGTERM', () => process.exit(0)); ${endless}`, null)
    expect(ended.code).toBe(1)
    const run = await get(id)
    expect(run).toMatchObject({ status: 'failed', error: 'The run used up its max_hours of 0.0006.' })
    const took = Date.parse(run.finished_at) - Date.parse(run.claimed_at)
    expect(took).toBeGreaterThanOrEqual(2160)
  })

  it('and reports the limit as the reason if the hub asked first', async () => {
    const id = await submit({ max_hours: 10 })
    const ended = runner(endless, null)
    await expect.poll(async () => (await get(id)).status).toBe('running')
    await hub.sql(`update runs set claimed_at = claimed_at - interval '11 hours' where id = $1`, [id])
    expect((await ended).code).toBe(1)
    expect(await get(id)).toMatchObject({ status: 'failed', error: 'The run used up its max_hours of 10.' })
    expect(await notices(id)).toContain('has used up its max_hours of 10')
  })
})
