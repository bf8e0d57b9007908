// @module-tag full
// @module-tag long
/** Trainer and hub are killed during a run of 50,000 lines: every line arrives once, in order, by itself and under `hub runner`. */
import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { registerRunnerCommand } from '../../packages/cli/src/runner-command.ts'
import { runCommandLine } from '../support/command-line.ts'
import { kill, killableHub } from '../support/killable-hub.ts'
import { noPython, pythonClientDir, startPython } from '../support/python.ts'

const hub = killableHub()
const { database, made } = hub
let env: Record<string, string>

beforeAll(() => {
  env = {
    HUB_URL: made.url,
    HUB_TOKEN: made.token,
    HUB_STATE_DIR: join(made.base, 'state'),
    // A hub of these tests is away for as long as it takes to start.
    HUB_EXIT_SECONDS: '300',
  }
})

/** A hub on the test's database, until the test ends. */
async function startHub(): Promise<ChildProcess> {
  const child = await hub.start()
  onTestFinished(() => kill(child))
  return child
}

/** A script that continues where its lines end, and tells each thousandth. At `held` it waits for a file. */
const trainer = `
import hub, os, sys, time
count, held, file = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
run = hub.init("torture", config={"count": count}, interval_s=0.2, capture_output=False)
began = time.perf_counter()
for step in range(run.step, count):
    run.log({"loss": step / count}, step=step)
    if step % 1000 == 0:
        print(step, flush=True)
        time.sleep(0.03)
    while step == held and not os.path.exists(file):
        time.sleep(0.01)
assert run.finish()
`

/**
 * Starts the trainer; `reached` waits until it has logged a step. At `held` it waits for the file of that name: without
 * it, it may have ended before a test that waits for its turn can kill it.
 */
function train(count: number, held = -1) {
  const given = [join(made.base, 'train.py'), String(count), String(held), join(made.base, `on-${held}`)]
  const { child, ended } = startPython(given, { cwd: made.base, env })
  hub.attend(child)
  let last = -1
  child.stdout?.on('data', (text: string) => {
    last = Number(text.trim().split('\n').at(-1))
  })
  return {
    child,
    ended,
    reached: (step: number) => expect.poll(() => last, { interval: 10 }).toBeGreaterThanOrEqual(step),
  }
}

async function stepsOf(runId: string): Promise<number[]> {
  const text = 'select (line ->> $2)::int as step from run_metrics where run_id = $1 and not hidden order by seq'
  const rows = await database.db.query<{ step: number }>({ name: '', text }, [runId, 'step'])
  return rows.map(({ step }) => step)
}

async function runs(): Promise<{ id: string; status: string; attempt: number }[]> {
  return database.db.query({ name: '', text: 'select id, status, attempt from runs order by id' })
}

describe('the Python client', needs(noPython), () => {
  it('logs 50,000 lines once, through two killed trainers and a hub that is away', async () => {
    await writeFile(join(made.base, 'train.py'), trainer)
    const hub = await startHub()
    const first = train(50_000, 12_000)
    await first.reached(12_000)
    await kill(first.child)
    const second = train(50_000, 36_000)
    await second.reached(24_000)
    await kill(hub)
    await second.reached(36_000)
    await kill(second.child)
    const third = train(50_000)
    await third.reached(49_000)
    await startHub()
    expect(await third.ended).toMatchObject({ code: 0 })
    const [run, ...others] = await runs()
    expect([run, others]).toMatchObject([{ status: 'succeeded', attempt: 1 }, []])
    expect(await stepsOf(run?.id ?? '')).toEqual(Array.from({ length: 50_000 }, (_, step) => step))
  })

  it('has its run back, with all lines, after it was silent for longer than its lease', async () => {
    await startHub()
    const known = (await runs()).map(({ id }) => id)
    const own = async () => (await runs()).find(({ id }) => !known.includes(id))
    const one = train(30_000, 10_000)
    await one.reached(10_000)
    one.child.kill('SIGSTOP')
    const text = `update runs set lease_expires_at = now() - interval '1 s' where status = 'running'`
    const swept = async () => {
      // Again, in case that a report was in progress.
      await database.db.query({ name: '', text })
      return (await own())?.status
    }
    await expect.poll(swept, { timeout: 100_000, interval: 200 }).toBe('queued')
    await writeFile(join(made.base, 'on-10000'), '')
    one.child.kill('SIGCONT')
    expect(await one.ended).toMatchObject({ code: 0, err: expect.stringContaining('claimed again') })
    const run = await own()
    expect(run).toMatchObject({ status: 'succeeded', attempt: 2 })
    expect(await stepsOf(run?.id ?? '')).toEqual(Array.from({ length: 30_000 }, (_, step) => step))
  })

  it('reports nothing twice under hub runner', async () => {
    await startHub()
    const submitted = await fetch(`${made.url}/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${env.HUB_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ recipe: { template: 'act' } }),
    })
    const { id } = (await submitted.json()) as { id: string }
    const command = `PYTHONPATH=${join(pythonClientDir, 'src')} python3 ${join(made.base, 'train.py')} 5000 -1 none`
    const args = ['runner', '--owner', 'ada', '--once', '--json', '--command', command]
    const around = { ...env, PATH: process.env.PATH ?? '', HOME: made.base }
    const ran = await runCommandLine(
      (program, io) => registerRunnerCommand(program, io, { intervalMs: 200, graceMs: 500 }),
      args,
      around,
    )
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('succeeded')])
    expect(await stepsOf(id)).toEqual(Array.from({ length: 5000 }, (_, step) => step))
  })
})
