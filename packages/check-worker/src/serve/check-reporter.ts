/** Reports of a running check: its log as it grows, signs of life, and the end. Each byte of the log arrives once. */
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type CheckReportBody, failureLine, type HubClient, ProblemError } from '@hub/client/internal'
import { parseExact, writeExact } from '@hub/formats/exact-json'
import { cutChunk, MAX_CHUNK_BYTES } from '@hub/runner/worker/chunk-cutter'
import { readFrom } from '@hub/runner/worker/growing-file'
import { writeDurably } from '@hub/runner/worker/journal'
import type { CheckFiles } from './check-files.ts'
import type { CheckJournal, CheckState } from './check-journal.ts'

/** The check was canceled, or another credential holds it: nothing that is done for it counts any more. */
export class CheckLostError extends Error {
  constructor(cause: ProblemError) {
    super(failureLine(cause), { cause })
    this.name = 'CheckLostError'
  }
}

export type Ending = NonNullable<CheckState['ending']>

export interface CheckReporter {
  /** Adds a line to the log. */
  log(line: string): void
  /** Says that the worker is alive. Rejects with `CheckLostError`. */
  beat(): Promise<void>
  /** Reports in the background until `close` is called; `onLost` is called once if the check is lost. */
  start(onLost: (error: CheckLostError) => void): void
  close(): Promise<void>
  /**
   * Sends the rest of the log and the last report, the same one however often it is called. Returns how the check
   * ended: a report that the hub refuses makes it a failure.
   */
  end(report: CheckReportBody & { readonly status: Ending['status'] }): Promise<Ending>
}

export interface ReporterOptions {
  readonly client: HubClient
  readonly files: CheckFiles
  readonly journal: CheckJournal
  /** Of log chunks; a sign of life follows after five without one. */
  readonly intervalMs: number
  readonly logLine: (line: string) => void
}

const HEARTBEAT_INTERVALS = 5

/** Rejects with `CheckLostError`, or with the client's error once it gives up. */
export function createCheckReporter(options: ReporterOptions): CheckReporter {
  const { client, files, journal, intervalMs, logLine } = options
  const { checkId } = journal.state
  const closed = new AbortController()
  let running: Promise<void> = Promise.resolve()

  const post: Post = async (report, key = randomUUID()) => {
    try {
      await client.checks.report(checkId, report, key)
    } catch (error) {
      if (error instanceof ProblemError && [401, 403, 404, 409].includes(error.status)) throw new CheckLostError(error)
      throw error
    }
  }

  const flush = logSender(options, post)
  const last = endingOf(options, post)

  async function report(onLost: (error: CheckLostError) => void): Promise<void> {
    let silent = 0
    while (!closed.signal.aborted) {
      try {
        silent = (await flush()) ? 0 : silent + 1
        if (silent >= HEARTBEAT_INTERVALS) {
          await post({})
          silent = 0
        }
      } catch (error) {
        if (error instanceof CheckLostError) return onLost(error)
        // The end of the check sends what is left, and says why it cannot.
        if (client.signal.aborted) return
        logLine(`${checkId}: a report is delayed: ${failureLine(error)}`)
      }
      await delay(intervalMs, undefined, { signal: closed.signal }).catch(() => {})
    }
  }

  return {
    log(line) {
      mkdirSync(files.root, { recursive: true, mode: 0o700 })
      appendFileSync(files.log, `${line.replace(/[\r\n]+$/, '')}\n`, { mode: 0o600 })
    },
    beat: () => post({}),
    start(onLost) {
      running = report(onLost)
    },
    async close() {
      closed.abort()
      await running
    },
    async end(body) {
      // A report that was sent has the whole log before it.
      if (!journal.state.ending) await flush()
      return last(body)
    },
  }
}

type Post = (report: CheckReportBody, key?: string) => Promise<void>

/** Sends the log as it grows, chunk by chunk; the function returns whether anything was sent. */
function logSender({ files, journal, logLine }: ReporterOptions, post: Post) {
  const { checkId } = journal.state

  /** The chunk in flight, or the next one; null if everything was sent. */
  async function next() {
    const { logged, sending } = journal.state
    const bytes = await readFrom(files.log, logged, sending ? sending.to - logged : MAX_CHUNK_BYTES)
    const chunk = cutChunk(bytes, sending !== null || bytes.length < MAX_CHUNK_BYTES)
    if (!chunk) return null
    const sent = sending ?? { to: logged + chunk.size, key: randomUUID() }
    if (!sending) journal.put({ sending: sent })
    return { ...sent, text: chunk.text }
  }

  async function flush(): Promise<boolean> {
    let any = false
    for (let chunk = await next(); chunk; chunk = await next()) {
      try {
        await post({ log_chunk: chunk.text }, chunk.key)
      } catch (error) {
        if (!isRefused(error)) throw error
        logLine(`${checkId}: log lines were refused: ${failureLine(error)}`)
      }
      journal.put({ logged: chunk.to, sending: null })
      any = true
    }
    return any
  }

  return flush
}

/** The last report of a check, which is sent once. */
function endingOf({ client, files, journal }: ReporterOptions, post: Post) {
  const { checkId } = journal.state

  /** A repeat sends the same bytes under the same key: the hub answers what it answered first. */
  async function last(body: CheckReportBody & { readonly status: Ending['status'] }): Promise<Ending> {
    if (!journal.state.ending) {
      writeDurably(files.ending, writeExact(body))
      journal.put({ ending: { status: body.status, error: body.error ?? null, key: randomUUID() } })
    }
    const ending = journal.state.ending
    if (!ending) throw new Error('The journal lost the end of the check.')
    try {
      await post(parseExact(readFileSync(files.ending, 'utf8')) as CheckReportBody, ending.key)
    } catch (error) {
      if (error instanceof CheckLostError) return arrived(ending, error)
      if (!isRefused(error) || ending.status === 'failed') throw error
      journal.put({ ending: null })
      return last({ status: 'failed', error: `The hub refused what the check found: ${refusal(error)}` })
    }
    return ending
  }

  /** The answer to an earlier attempt may have been lost, and the hub remembers keys for a day. */
  async function arrived(ending: Ending, lost: CheckLostError): Promise<Ending> {
    const { status } = await client.checks.get(checkId)
    if (status !== ending.status) throw lost
    return ending
  }

  return last
}

const isRefused = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && [400, 413, 422].includes(error.status)

const MAX_ENTRIES = 5

function refusal(error: ProblemError): string {
  const entries = error.entries.slice(0, MAX_ENTRIES).map(({ loc, detail }) => `${loc.join('.')}: ${detail}`)
  return [failureLine(error), ...entries].join(' ').slice(0, 4000)
}
