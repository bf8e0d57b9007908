/** The runner loop: resumes unfinished runs of its work folder, then claims one run after another. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ProblemError } from '../problem.ts'
import type { RemoteRun } from '../run-shapes.ts'
import { executeRun, type Runner, type RunOutcome } from './execute-run.ts'
import { type JournalState, readJournal } from './journal.ts'
import { isLocked, lock } from './lock.ts'
import { nullIfMissing, runFiles } from './run-files.ts'

export interface WorkOptions {
  readonly name: string
  readonly owner: string
  /** Stop after one run. */
  readonly once: boolean
  readonly ended: (outcome: RunOutcome) => void
}

/** The hub's maximum wait of a claim. */
const WAIT_S = 30

/** Runs until `runner.stop` aborts, or with `once` until one run has ended. Rejects with the client's error once it gives up. */
export async function work(runner: Runner, options: WorkOptions): Promise<void> {
  const found = await unfinishedRuns(runner)
  for (const state of found) {
    const run = await runner.client.runs.get(state.runId).catch(nullIfNotFound)
    if (!run) continue
    runner.logLine(`${state.runId}: resuming attempt ${state.attempt}`)
    // The journal belongs to its own run and attempt, whatever the hub reports now.
    options.ended(await executeLocked(runner, { ...run, id: state.runId, attempt: state.attempt }))
    if (options.once || runner.stop.aborted) return
  }
  while (!runner.stop.aborted) {
    const run = await claim(runner, options)
    if (!run) continue
    runner.logLine(`${run.id}: claimed, ${run.display_name}`)
    options.ended(await executeLocked(runner, run))
    if (options.once) return
  }
}

async function claim(runner: Runner, { name, owner }: WorkOptions): Promise<RemoteRun | null> {
  const stopped = new Promise<null>((resolve) =>
    runner.stop.addEventListener('abort', () => resolve(null), { once: true }),
  )
  const startedMs = performance.now()
  const claiming = runner.client.runs.claimNext(name, WAIT_S, owner)
  const run = await Promise.race([claiming, stopped])
  if (run) return run
  if (runner.stop.aborted) {
    // A claim in flight may still be granted; without a release the run would sit idle until its lease expires.
    await Promise.race([claiming.then((late) => late && release(runner, late)), delay(3000)]).catch(() => {})
    return null
  }
  // Avoids a busy loop if the hub answers without waiting.
  if (performance.now() - startedMs < 1000) await delay(1000, undefined, { signal: runner.stop }).catch(() => {})
  return null
}

async function release(runner: Runner, run: RemoteRun): Promise<void> {
  await runner.client.runs.report(run.id, {
    attempt: run.attempt,
    status: 'failed',
    error: 'The runner was stopped before it started the run.',
  })
}

/** `catch` handler for a run that was deleted or is not visible to this key. */
function nullIfNotFound(error: unknown): null {
  if (error instanceof ProblemError && error.status === 404) return null
  throw error
}

async function executeLocked(runner: Runner, run: RemoteRun): Promise<RunOutcome> {
  const files = runFiles(runner.workDir, run.id, run.attempt)
  await lock(files.lock)
  try {
    return await executeRun(runner, run)
  } finally {
    await rm(files.lock, { force: true })
  }
}

/** Journals of this hub that are not done and not locked by a live runner. */
async function unfinishedRuns(runner: Runner): Promise<JournalState[]> {
  const found: JournalState[] = []
  for (const runId of (await readdir(runner.workDir).catch(nullIfMissing)) ?? []) {
    for (const name of (await readdir(join(runner.workDir, runId)).catch(nullIfMissing)) ?? []) {
      const [, attempt] = /^attempt-(\d+)$/.exec(name) ?? []
      if (attempt === undefined) continue
      const files = runFiles(runner.workDir, runId, Number(attempt))
      const state = readJournal(files.journal)
      if (state && !state.done && state.url === runner.client.url && !(await isLocked(files.lock))) found.push(state)
    }
  }
  return found
}
