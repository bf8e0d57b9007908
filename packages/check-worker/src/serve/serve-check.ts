/**
 * Serves one claimed check to its end: fetches its files, judges them, uploads what was made, reports. Each step that
 * is done is on disk before the next begins.
 */
import { rm } from 'node:fs/promises'
import { failureLine, type HubClient, LocalError, ProblemError } from '@hub/client/internal'
import type { Claim } from '@hub/runner/worker/claim-file'
import { openJournal } from '@hub/runner/worker/journal'
import { sizeText } from '@hub/text/amounts'
import { type CheckFiles, checkFiles } from './check-files.ts'
import { type CheckJournal, type HeldCheck, newCheckState, readCheckState } from './check-journal.ts'
import { CheckLostError, type CheckReporter, createCheckReporter, type Ending } from './check-reporter.ts'
import { fetchSources } from './fetch-sources.ts'
import { type Judge, judgeCheck } from './judge-check.ts'
import { sendArtifacts } from './send-artifacts.ts'
import { keepVerdict, keptVerdict } from './verdict.ts'

export interface CheckWorker extends Judge {
  /** Retries for as long as the worker lives: the hub may be unreachable for a while. */
  readonly client: HubClient
  readonly workDir: string
  /** The credential, by a name that does not reveal it. */
  readonly credential: string
  /** Interval of the reports. */
  readonly intervalMs: number
  /** Stops the worker; the check fails with the abort reason. */
  readonly stop: AbortSignal
  readonly logLine: (line: string) => void
}

export interface CheckOutcome {
  readonly check: string
  readonly status: Ending['status'] | 'lost'
  readonly error: string | null
}

/** Rejects only if the client gives up, or if not even a failure can be put on disk. */
export async function serveCheck(worker: CheckWorker, held: HeldCheck): Promise<CheckOutcome> {
  const { id } = held.check
  const files = checkFiles(worker.workDir, id)
  const journal = openCheckJournal(worker, held)
  const { client, intervalMs, logLine } = worker
  const reporter = createCheckReporter({ client, files, journal, intervalMs, logLine })
  const lost = new AbortController()
  try {
    if (!held.isFresh) await resumed(reporter, journal)
    reporter.start((error) => lost.abort(error))
    const body = journal.state.ending ?? (await bodyOf(worker, held, { files, journal, reporter, lost: lost.signal }))
    await reporter.close()
    const { status, error } = await reporter.end(body)
    return await ended(files, journal, { check: id, status, error })
  } catch (error) {
    if (error instanceof CheckLostError)
      return await ended(files, journal, { check: id, status: 'lost', error: error.message })
    if (client.signal.aborted) throw error
    // Not even the journal could be written: the check ends without it.
    await client.checks.report(id, { status: 'failed', error: whatToDo(error) }).catch(() => {})
    await rm(files.root, { recursive: true, force: true })
    throw error
  } finally {
    await reporter.close()
  }
}

/** The journal of a check that was claimed, or that an earlier process began. */
export function openCheckJournal(
  { client, credential, workDir }: CheckWorker,
  { check, claim }: HeldCheck,
): CheckJournal {
  const { journal } = checkFiles(workDir, check.id)
  const fresh = newCheckState({ checkId: check.id, url: client.url, credential, claim })
  return openJournal(journal, readCheckState(journal) ?? fresh)
}

/** A check may have been canceled while no worker looked after it. */
async function resumed(reporter: CheckReporter, journal: CheckJournal): Promise<void> {
  if (journal.state.ending) return
  reporter.log('The worker was started again, and goes on.')
  await reporter.beat()
}

interface Serving {
  readonly files: CheckFiles
  readonly journal: CheckJournal
  readonly reporter: CheckReporter
  readonly lost: AbortSignal
}

type Body = Parameters<CheckReporter['end']>[0]

/** The last report. Whatever goes wrong on this machine makes it a failure that says what to do. */
async function bodyOf(worker: CheckWorker, held: HeldCheck, serving: Serving): Promise<Body> {
  const { reporter, lost } = serving
  try {
    return await judged(worker, held, serving)
  } catch (error) {
    if (lost.aborted) throw lost.reason
    if (worker.client.signal.aborted && !worker.stop.aborted) throw error
    if (isLost(error)) throw new CheckLostError(error)
    const why = worker.stop.aborted ? stopped(worker) : whatToDo(error)
    reporter.log(`failed: ${why}`)
    return { status: 'failed', error: why }
  }
}

async function judged(worker: CheckWorker, held: HeldCheck, serving: Serving): Promise<Body> {
  const { client } = worker
  const { check } = held
  const { files, journal, reporter, lost } = serving
  const signal = AbortSignal.any([worker.stop, lost, client.signal])
  const { log } = reporter
  if (!journal.state.judged) {
    const sources = check.sources ?? []
    const signAgain = () => sourcesAgain(worker, held)
    await fetchSources({ sources, folder: files.sources, isFresh: held.isFresh, signAgain, log, signal })
    await keepVerdict(files, await judgeCheck(worker, { check, files, log, signal }))
    journal.put({ judged: true })
  }
  const { artifacts, body } = await keptVerdict(files)
  if (!journal.state.sent) {
    for (const { name, size } of artifacts) log(`sending ${name}, ${sizeText(size)}`)
    await sendArtifacts(client, check.id, artifacts, signal)
    journal.put({ sent: true })
  }
  log(body.report ? `done: ${verdictOf(body.report)}` : 'done')
  return { ...body, status: 'succeeded', artifacts: artifacts.map(({ name }) => ({ path: name })) }
}

const verdictOf = ({ ok, grade }: NonNullable<Body['report']>) =>
  ok ? `the report passes${grade === 'warn' ? ', with warnings' : ''}` : 'a check of the report failed'

/**
 * The hub remembers an Idempotency-Key for 24 hours. One hour is for clocks that differ: a key that is forgotten would
 * claim another check.
 */
const CLAIM_MEMORY_MS = 23 * 3_600_000

/** The claim again under its first key: the hub signs the URLs again. */
async function sourcesAgain(worker: CheckWorker, { check, claim }: HeldCheck) {
  const isRemembered = Date.now() - Date.parse(check.claimed_at ?? '') < CLAIM_MEMORY_MS
  const again = isRemembered ? await claimCheck(worker.client, claim) : null
  if (again?.id === check.id) return again.sources ?? []
  throw new LocalError('The files of the check cannot be fetched any more: its claim is older than a day.')
}

/** Claims the named check, or the oldest that waits. A repeat of the same claim has the same answer while it lasts. */
export function claimCheck({ checks }: HubClient, { key, worker, waitS, owner, job }: Claim, signal?: AbortSignal) {
  if (job !== null) return checks.claim(job, worker, key, signal)
  return checks.claimNext(worker, waitS, owner, key, signal)
}

/** Refused because the check is not this worker's any more. */
const isLost = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && error.status === 409 && error.kind.startsWith('conflict.')

function stopped({ stop }: CheckWorker): string {
  const why = stop.reason instanceof Error ? stop.reason.message : 'The worker was stopped.'
  return `${why} Queue the check again.`
}

function whatToDo(error: unknown): string {
  const faults = error instanceof LocalError && error.faults.length > 0 ? ` ${error.faults.join('; ')}` : ''
  const code = (error as NodeJS.ErrnoException).code
  const advice =
    code === 'ENOSPC'
      ? 'The disk of the worker is full: free some space, or give it another --work, and queue the check again.'
      : 'Queue the check again when this is put right.'
  return `${failureLine(error)}${faults} ${advice}`.slice(0, 4000)
}

/** Nothing of a check stays on this machine. */
async function ended(files: CheckFiles, journal: CheckJournal, outcome: CheckOutcome): Promise<CheckOutcome> {
  journal.put({ done: true })
  await rm(files.root, { recursive: true, force: true })
  return outcome
}
