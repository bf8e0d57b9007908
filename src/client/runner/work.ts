/** A runner: it takes up what an earlier one on the same work folder left, then claims one run after the other. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ProblemError } from '../problem.ts'
import type { RemoteRun } from '../run-shapes.ts'
import { executeRun, type Runner, type RunOutcome } from './execute-run.ts'
import { type JournalState, readJournal } from './journal.ts'
import { isLocked, lock } from './lock.ts'
import { absent, runFiles } from './run-files.ts'

export interface WorkOptions {
  readonly name: string
  readonly owner: string
  /** Ends after one run. */
  readonly once: boolean
  readonly ended: (outcome: RunOutcome) => void
}

/** What the hub lets a claim wait for. */
const WAIT_S = 30

/** Works until `runner.stop`, or with `once` until one run has ended. Rejects with what the client gives up on. */
export async function work(runner: Runner, options: WorkOptions): Promise<void> {
  const found = await leftBehind(runner)
  for (const state of found) {
    const run = await runner.client.runs.get(state.runId).catch(hidden)
    if (!run) continue
    runner.tell(`${state.runId}: going on with attempt ${state.attempt}`)
    // What the journal holds is of its own run and attempt, whatever the hub says now.
    options.ended(await held(runner, { ...run, id: state.runId, attempt: state.attempt }))
    if (options.once || runner.stop.aborted) return
  }
  while (!runner.stop.aborted) {
    const run = await claim(runner, options)
    if (!run) continue
    runner.tell(`${run.id}: claimed, ${run.display_name}`)
    options.ended(await held(runner, run))
    if (options.once) return
  }
}

async function claim(runner: Runner, { name, owner }: WorkOptions): Promise<RemoteRun | null> {
  const stopped = new Promise<null>((resolve) =>
    runner.stop.addEventListener('abort', () => resolve(null), { once: true }),
  )
  const startedMs = performance.now()
  const asked = runner.client.runs.claimNext(name, WAIT_S, owner)
  const run = await Promise.race([asked, stopped])
  if (run) return run
  if (runner.stop.aborted) {
    // A claim that is under way may still be granted: then it would sit idle until its lease ends.
    await Promise.race([asked.then((late) => late && giveBack(runner, late)), delay(3000)]).catch(() => {})
    return null
  }
  // A hub that answers at once that there is nothing is not asked in a circle.
  if (performance.now() - startedMs < 1000) await delay(1000, undefined, { signal: runner.stop }).catch(() => {})
  return null
}

async function giveBack(runner: Runner, run: RemoteRun): Promise<void> {
  await runner.client.runs.report(run.id, {
    attempt: run.attempt,
    status: 'failed',
    error: 'The runner was stopped before it began.',
  })
}

/** A run that was deleted, or that another key claimed which may see it. */
function hidden(error: unknown): null {
  if (error instanceof ProblemError && error.status === 404) return null
  throw error
}

async function held(runner: Runner, run: RemoteRun): Promise<RunOutcome> {
  const files = runFiles(runner.workDir, run.id, run.attempt)
  await lock(files.lock)
  try {
    return await executeRun(runner, run)
  } finally {
    await rm(files.lock, { force: true })
  }
}

/** Journals of this hub that are not done and that no living runner holds. */
async function leftBehind(runner: Runner): Promise<JournalState[]> {
  const found: JournalState[] = []
  for (const runId of (await readdir(runner.workDir).catch(absent)) ?? []) {
    for (const name of (await readdir(join(runner.workDir, runId)).catch(absent)) ?? []) {
      const [, attempt] = /^attempt-(\d+)$/.exec(name) ?? []
      if (attempt === undefined) continue
      const files = runFiles(runner.workDir, runId, Number(attempt))
      const state = readJournal(files.journal)
      if (state && !state.done && state.url === runner.client.url && !(await isLocked(files.lock))) found.push(state)
    }
  }
  return found
}
