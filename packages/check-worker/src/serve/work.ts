/** Checks as the loop of a worker serves them. */
import { readdir, rm } from 'node:fs/promises'
import { isId } from '@hub/formats/ids'
import { nullIfMissing } from '@hub/runner/worker/growing-file'
import { writeDurably } from '@hub/runner/worker/journal'
import { type ServeOptions, serve, type Unfinished, type WorkerKind } from '@hub/runner/worker/serve'
import { checkFiles } from './check-files.ts'
import { checkText, type HeldCheck, keptCheck, readCheckState } from './check-journal.ts'
import { type CheckOutcome, type CheckWorker, claimCheck, openCheckJournal, serveCheck } from './serve-check.ts'

export type CheckWorkOptions = Pick<ServeOptions<CheckOutcome>, 'name' | 'owner' | 'job' | 'once' | 'gaveUp' | 'ended'>

/**
 * Works until `worker.stop` aborts, or with `once` or a named check until one has ended. Rejects with the client's
 * error once it gives up.
 */
export function workOnChecks(worker: CheckWorker, options: CheckWorkOptions): Promise<void> {
  const { client, workDir, stop, logLine, credential } = worker
  const claimer = { kind: 'robot_check', url: client.url, credential }
  return serve(checkKind(worker), { ...options, ...claimer, workDir, stop, logLine })
}

function checkKind(worker: CheckWorker): WorkerKind<HeldCheck, CheckOutcome> {
  const { client, workDir } = worker
  return {
    async claim(claim, signal) {
      const check = await claimCheck(client, claim, signal)
      return check && { check, claim, isFresh: true }
    },
    keep(held) {
      const files = checkFiles(workDir, held.check.id)
      writeDurably(files.check, checkText(held.check))
      openCheckJournal(worker, held)
    },
    lockOf: ({ check }) => checkFiles(workDir, check.id).lock,
    describe: ({ check }) => `${check.id}: claimed, ${subject(check)}`,
    execute: (held) => serveCheck(worker, held),
    async release({ check }, why) {
      await client.checks.report(check.id, { status: 'failed', error: `${why} Queue the check again.` })
    },
    unfinished: () => unfinishedChecks(worker),
  }
}

const subject = ({ kind, entry, robot_repo: robot, model_repo: model }: HeldCheck['check']) =>
  [kind, model?.full_name ?? robot?.full_name, entry].filter(Boolean).join(' ')

/**
 * Checks in the work folder that this credential claimed from this hub. What ended before its folder was removed is
 * removed now.
 */
async function unfinishedChecks(worker: CheckWorker): Promise<Unfinished<HeldCheck>[]> {
  const { client, credential, workDir, logLine } = worker
  const found: Unfinished<HeldCheck>[] = []
  for (const id of (await readdir(workDir).catch(nullIfMissing)) ?? []) {
    if (!isId('check', id)) continue
    const files = checkFiles(workDir, id)
    const state = readCheckState(files.journal)
    if (state?.url !== client.url) continue
    if (state.done) await rm(files.root, { recursive: true, force: true })
    else if (state.credential !== credential)
      logLine(`${id} was claimed with another key: start a worker with that key, or cancel the check`)
    else found.push({ id, lock: files.lock, load: async () => resumedCheck(worker, id) })
  }
  return found
}

/** Read under the lock: another process may have ended it meanwhile. */
function resumedCheck({ workDir, logLine }: CheckWorker, id: string): HeldCheck | null {
  const files = checkFiles(workDir, id)
  const state = readCheckState(files.journal)
  if (!state || state.done) return null
  logLine(`${id}: resuming`)
  return { check: keptCheck(files), claim: state.claim, isFresh: false }
}
