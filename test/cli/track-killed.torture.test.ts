// @module-tag sampled
// @module-tag processes
/**
 * The trainer, `hub track` and the hub are killed in every order at random moments. What `log` returned for is at the
 * hub once, in the run or in the runs that go on from it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createHubClient } from '@hub/client/internal'
import { randomFrom } from '@hub/testing/random'
import { sampleSize, testSeed } from '@hub/testing/torture'
import { afterAll, expect, it } from 'vitest'
import { kill, killableHub } from '../support/killable-hub.ts'

const program = fileURLToPath(new URL('../../src/operator/hub.ts', import.meta.url))
const hub = killableHub()
const { made } = hub
const ROUNDS = sampleSize(200, 0, 3)
/** Of the machine, not of the test: a round of three starts takes seconds. */
const ROUND_MS = 120_000

const parts = ['trainer', 'track', 'hub'] as const
type Part = (typeof parts)[number]

/**
 * Writes a line of metrics and prints one, and then notes that it did: \`log\` has returned. Each value is of one call of
 * all starts. It ends once there is a file \`enough\`.
 */
const trainerScript = (folder: string) => `
import { appendFileSync, existsSync, renameSync, writeFileSync } from 'node:fs'
const folder = ${JSON.stringify(folder)}
// Whole or not there: a reader of half a file would take the trainer for dead.
writeFileSync(folder + '/trainer-pid.new', String(process.pid))
renameSync(folder + '/trainer-pid.new', folder + '/trainer-pid')
const start = process.pid * 1e6
for (let n = 1; ; n += 1) {
  const call = start + n
  console.log('call ' + call)
  appendFileSync(process.env.HUB_RUN_DIR + '/metrics.jsonl', JSON.stringify({ step: n, call }) + '\\n')
  appendFileSync(folder + '/returned', call + '\\n')
  if (existsSync(folder + '/enough')) process.exit(0)
  await new Promise((done) => setTimeout(done, 5))
}
`

const random = randomFrom(testSeed())
const below = (count: number) => random.int(0, count - 1)
const runs: string[] = []
let running: { hub: ChildProcess; track: ChildProcess }

const returned = () => linesOf(join(made.base, 'returned'))
const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [])
const isLeft = () => {
  const folder = join(made.base, '.local/state/hub/track')
  return existsSync(folder) && readdirSync(folder).length > 0
}

/** Tracks the trainer. `resume`: the options with which. */
function startTrack(resume: readonly string[], withTrainer: boolean): ChildProcess {
  const command = withTrainer ? ['--', process.execPath, join(made.base, 'train.mjs')] : []
  const child = hub.attend(
    // Without lines of the machine: each line is then of one call.
    spawn(process.execPath, [program, 'track', '--wait', '100', '--system-every', '0', ...resume, ...command], {
      cwd: made.base,
      env: { PATH: process.env.PATH ?? '', HOME: made.base, HUB_URL: made.url, HUB_TOKEN: made.token },
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  )
  child.stderr?.on('data', (text) => {
    for (const [run] of String(text).matchAll(/run_[0-9a-z]{26}/g)) if (!runs.includes(run)) runs.push(run)
  })
  return child
}

const isOver = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

function trainerPid(): number | null {
  const pid = Number(linesOf(join(made.base, 'trainer-pid'))[0] ?? 0)
  try {
    // Of an earlier trainer the id is another process's at most.
    const isTrainer = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('train.mjs')
    return isTrainer && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) ? pid : null
  } catch {
    return null
  }
}

async function killPart(part: Part): Promise<void> {
  if (part !== 'trainer') return kill(running[part])
  const pid = trainerPid()
  if (pid !== null) process.kill(pid, 'SIGKILL')
}

// What has lost `hub track` would write on after a failure.
afterAll(() => killPart('trainer'))

/** Until the trainer goes on: what was killed may seem to live for a moment. */
async function revive(): Promise<void> {
  const before = returned().length
  for (const until = Date.now() + ROUND_MS; Date.now() < until; ) {
    await reviveOnce()
    // A trainer that is dead now ended its command, so that `hub track` ends by itself.
    while (!isOver(running.track) && trainerPid() !== null && Date.now() < until) {
      if (returned().length > before) return
      await delay(50)
    }
  }
  throw new Error('The trainer does not go on.')
}

/** Brings back what is gone, as a person would. */
async function reviveOnce(): Promise<void> {
  if (isOver(running.hub)) running.hub = await hub.start()
  await delay(50)
  if (trainerPid() === null && !isOver(running.track)) await once(running.track, 'exit')
  if (!isOver(running.track)) return
  if (trainerPid() !== null) running.track = startTrack(['--resume'], false)
  else {
    const before = linesOf(join(made.base, 'trainer-pid'))[0]
    running.track = startTrack(isLeft() ? ['--resume'] : ['--resume', runs.at(-1) ?? ''], true)
    while (!isOver(running.track) && linesOf(join(made.base, 'trainer-pid'))[0] === before) await delay(50)
  }
}

async function round(): Promise<void> {
  const before = returned().length
  await expect.poll(() => returned().length, { timeout: ROUND_MS, interval: 20 }).toBeGreaterThan(before + below(60))
  const order = parts
    .map((part) => ({ part, at: random.int(0, 1e9) }))
    .sort((a, b) => a.at - b.at)
    .slice(0, 1 + below(3))
  for (const { part } of order) {
    await killPart(part)
    await delay(below(2) * below(400))
  }
  await revive()
}

it(
  `loses no line that log returned for, and has none twice (${ROUNDS} kills, seed ${testSeed()})`,
  async () => {
    await writeFile(join(made.base, 'train.mjs'), trainerScript(made.base))
    running = { hub: await hub.start(), track: startTrack([], true) }
    for (let n = 0; n < ROUNDS; n += 1) await round()
    const before = returned().length
    await expect.poll(() => returned().length, { timeout: ROUND_MS }).toBeGreaterThan(before)
    await writeFile(join(made.base, 'enough'), '')
    if (!isOver(running.track)) await once(running.track, 'exit')
    expect(isLeft()).toBe(false)
    const client = createHubClient({ url: made.url, token: made.token })
    const [metrics, log]: [string[], string[]] = [[], []]
    for (const run of runs) {
      for await (const event of client.runs.follow(run, { follow: false })) {
        if (event.kind === 'metric') metrics.push(`call ${event.line.call}`)
        if (event.kind === 'log' && event.stream === 'stdout') log.push(event.line)
      }
    }
    for (const found of [metrics, log]) {
      expect(found.filter((line) => !/^call \d+$/.test(line))).toEqual([])
      expect(found.length).toBe(new Set(found).size)
      // The line of a call that a kill cut off may be there.
      const there = new Set(found)
      expect(returned().filter((call) => !there.has(`call ${call}`))).toEqual([])
    }
    expect(await client.runs.get(runs.at(-1) ?? '')).toMatchObject({ status: 'succeeded' })
    await kill(running.hub)
  },
  ROUND_MS * (ROUNDS + 2),
)
