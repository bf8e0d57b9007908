/** Training runs as the loop of a worker serves them. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ProblemError } from '@hub/client/internal'
import type { RemoteRun } from '@hub/client/run-shapes'
import { executeRun, type Runner, type RunOutcome } from './execute-run.ts'
import { removeFolder, runFiles } from './run-files.ts'
import { newState, type RunState, readRunState } from './run-journal.ts'
import { nullIfMissing } from './worker/growing-file.ts'
import { openJournal } from './worker/journal.ts'
import { type ServeOptions, serve, type Unfinished, type WorkerKind } from './worker/serve.ts'

export type WorkOptions = Pick<
  ServeOptions<RunOutcome>,
  'credential' | 'name' | 'owner' | 'job' | 'once' | 'gaveUp' | 'ended'
>

/**
 * Runs until `runner.stop` aborts, or with `once` until one run has ended. Rejects with the client's error once it
 * gives up.
 */
export function work(runner: Runner, options: WorkOptions): Promise<void> {
  const { client, workDir, stop, logLine } = runner
  return serve(runKind(runner), { ...options, kind: 'run', url: client.url, workDir, stop, logLine })
}

const filesOf = (runner: Runner, { id, attempt }: RemoteRun) => runFiles(runner.workDir, id, attempt)

/**
 * A hosted run is claimed by its own call: everyone who sees the run sees the call's id, and the key of the call alone
 * may claim.
 */
async function claimNamed(
  { runs }: Runner['client'],
  runId: string,
  { key, worker }: { readonly key: string; readonly worker: string },
  signal: AbortSignal,
): Promise<RemoteRun> {
  const { hosted_call_id: callId } = await runs.get(runId)
  return runs.claim(runId, worker, callId ?? null, key, signal)
}

function runKind(runner: Runner): WorkerKind<RemoteRun, RunOutcome> {
  const { client } = runner
  return {
    claim: ({ key, worker, waitS, owner, job }, signal) =>
      job === null
        ? client.runs.claimNext(worker, waitS, owner ?? undefined, key, signal)
        : claimNamed(client, job, { key, worker }, signal),
    keep(run) {
      const { journal } = filesOf(runner, run)
      const before = readRunState(journal)
      openJournal(journal, before ?? newState({ runId: run.id, url: client.url, attempt: run.attempt }))
    },
    lockOf: (run) => filesOf(runner, run).lock,
    describe: ({ id, display_name: name }) => `${id}: claimed, ${name}`,
    execute: (run) => executeRun(runner, run),
    async release({ id, attempt }, error) {
      await client.runs.report(id, { attempt, status: 'failed', error })
    },
    unfinished: async () => (await unfinishedRuns(runner)).map((state) => unfinishedRun(runner, state)),
  }
}

function unfinishedRun(runner: Runner, { runId, attempt }: RunState): Unfinished<RemoteRun> {
  return {
    id: runId,
    lock: runFiles(runner.workDir, runId, attempt).lock,
    async load() {
      // Read again under the lock: another process may have ended it meanwhile, and then its folder is gone.
      const state = readRunState(runFiles(runner.workDir, runId, attempt).journal)
      if (state === null || state.done) return null
      const run = await runner.client.runs.get(runId).catch(nullIfNotFound)
      if (!run) return null
      runner.logLine(`${runId}: resuming attempt ${attempt}`)
      // The journal belongs to its own run and attempt, whatever the hub reports now.
      return { ...run, id: runId, attempt }
    },
  }
}

/** `catch` handler for a run that was deleted or is not visible to this key. */
function nullIfNotFound(error: unknown): null {
  if (error instanceof ProblemError && error.status === 404) return null
  throw error
}

/** Journals of this hub that are not done. Folders whose removal a kill cut off are removed now. */
async function unfinishedRuns(runner: Runner): Promise<RunState[]> {
  const found: RunState[] = []
  for (const runId of (await readdir(runner.workDir).catch(nullIfMissing)) ?? []) {
    for (const name of (await readdir(join(runner.workDir, runId)).catch(nullIfMissing)) ?? []) {
      const [, attempt] = /^attempt-(\d+)$/.exec(name) ?? []
      if (attempt === undefined) continue
      const files = runFiles(runner.workDir, runId, Number(attempt))
      const state = readRunState(files.journal)
      if (state?.removable) await removeFolder(files)
      else if (state && !state.done && state.url === runner.client.url) found.push(state)
    }
  }
  return found
}
