/** Reports the command's output, each byte once: the journal keeps the report in flight until the hub has answered. */
import type { HubClient } from '@hub/client/internal'
import { failureLine, ProblemError, refusedIndexes } from '@hub/client/internal'
import type { RemoteRun, RunReport } from '@hub/client/run-shapes'
import { leaveBehind } from './left-behind.ts'
import { type MetricsBatch, measuredIn, progressIn, readMetrics } from './metrics-batch.ts'
import type { RunFiles } from './run-files.ts'
import type { RunJournal, Sending } from './run-journal.ts'
import { cutChunk, MAX_CHUNK_BYTES } from './worker/chunk-cutter.ts'
import { readFrom, sizeOf } from './worker/growing-file.ts'

/** This runner lost its claim on the run; the hub ignores everything the command does from now on. */
export class ClaimLostError extends Error {
  constructor(cause: ProblemError) {
    super(failureLine(cause), { cause })
    this.name = 'ClaimLostError'
  }
}

export interface Reporter {
  /**
   * Sends the output present at the start of the call, oldest first; with `isFinal` also an unterminated last line.
   * Returns the run after the last report, or null if nothing was sent.
   */
  flush(isFinal: boolean): Promise<RemoteRun | null>
  /** Sends one report without lines. */
  post(report: RunReport): Promise<RemoteRun>
}

export interface ReporterOptions {
  readonly client: HubClient
  readonly files: ReportedFiles
  readonly journal: RunJournal
  readonly hyperparams: Readonly<Record<string, unknown>>
  readonly gpuTier?: string
  /** What of a line of `metrics` is the object; the whole line, unless given. */
  readonly metricsOf?: (line: string) => string
  readonly logLine: (line: string) => void
}

type ReportedFiles = Pick<RunFiles, 'output' | 'metrics'>

/** Larger than a metrics batch, so that the end of its last line is visible. */
const METRICS_WINDOW = 1024 * 1024 + 64 * 1024
const NEWLINE = 10

/** Rejects with `ClaimLostError`, or with the client's error once it gives up. */
export function createReporter(options: ReporterOptions): Reporter {
  const { client, files, journal, logLine } = options
  const { runId, attempt } = journal.state
  const { next, metricsFrom } = outputOf(files, journal, options.metricsOf)

  async function post(report: RunReport): Promise<RemoteRun> {
    try {
      return await client.runs.report(runId, { attempt, ...report })
    } catch (error) {
      if (error instanceof ProblemError && [401, 403, 404, 409].includes(error.status)) throw new ClaimLostError(error)
      throw error
    }
  }

  const postParts = partPoster(post, journal, logLine)

  async function send(sending: Sending): Promise<RemoteRun | null> {
    const { log, metrics } = sending
    const output = log && (await readFrom(files.output, log.from, log.to - log.from))
    const batch = metrics && (await metricsFrom(metrics.from, metrics.to - metrics.from, () => true))
    const logPart: RunReport = output ? { log_chunk: cutChunk(output, true)?.text, log_seq: journal.state.log.seq } : {}
    const run = await postParts(logPart, batch && batch.lines.length > 0 ? metricsPart(batch.lines) : {})
    for (const line of batch?.refused ?? []) logLine(`dropped a line of metrics.jsonl: ${line}`)
    const { state } = journal
    journal.put({
      sending: null,
      log: log ? { bytes: log.to, seq: state.log.seq + 1 } : state.log,
      metrics: metrics ? { bytes: metrics.to, seq: state.metrics.seq + 1 } : state.metrics,
    })
    return run
  }

  function metricsPart(lines: readonly Readonly<Record<string, unknown>>[]): RunReport {
    const progress = progressIn(lines, options.hyperparams)
    return {
      metrics: lines,
      metrics_seq: journal.state.metrics.seq,
      ...(progress && { progress }),
      ...measuredIn(lines),
      gpu_tier: options.gpuTier,
    }
  }

  return {
    post,
    async flush(isFinal) {
      const [logEnd, metricsEnd] = await Promise.all([sizeOf(files.output), sizeOf(files.metrics)])
      // Output written meanwhile waits for the next interval; otherwise each line would be a report of its own.
      const isBehind = () => journal.state.log.bytes < logEnd || journal.state.metrics.bytes < metricsEnd
      let run: RemoteRun | null = null
      while (isBehind() || journal.state.sending) {
        const sending = await next(isFinal)
        if (!sending) break
        run = (await send(sending)) ?? run
      }
      return run
    },
  }
}

/** The output of the command, cut into reports. */
function outputOf(files: ReportedFiles, journal: RunJournal, metricsOf?: ReporterOptions['metricsOf']) {
  /** The next report; after a restart, the one that was in flight. */
  async function next(isFinal: boolean): Promise<Sending | null> {
    const { state } = journal
    if (state.sending) return state.sending
    const [output, batch] = await Promise.all([
      readFrom(files.output, state.log.bytes, MAX_CHUNK_BYTES),
      metricsFrom(state.metrics.bytes, METRICS_WINDOW, (length) => isFinal && length < METRICS_WINDOW),
    ])
    // Even after the command has ended, the last line is complete only if the read reached the end of the file.
    const chunk = cutChunk(output, isFinal && output.length < MAX_CHUNK_BYTES)
    if (!chunk && batch.size === 0) return null
    const sending = {
      log: chunk && { from: state.log.bytes, to: state.log.bytes + chunk.size },
      metrics: batch.size === 0 ? null : { from: state.metrics.bytes, to: state.metrics.bytes + batch.size },
    }
    journal.put({ sending })
    return sending
  }

  /** The batch at an offset. The byte before it shows whether a line starts here. */
  async function metricsFrom(from: number, length: number, isEnd: (length: number) => boolean): Promise<MetricsBatch> {
    const before = Math.min(from, 1)
    const bytes = await readFrom(files.metrics, from - before, before + length)
    const isInLine = before === 1 && bytes.length > 0 && bytes[0] !== NEWLINE
    const window = bytes.subarray(before)
    return readMetrics(window, isEnd(window.length), isInLine, metricsOf)
  }

  return { next, metricsFrom }
}

/** Posts the two parts of a report, as one where the hub accepts both. */
function partPoster(post: Reporter['post'], journal: RunJournal, logLine: (line: string) => void) {
  /** Drops a part that the hub rejects, so that the training continues; the other part is still sent. */
  async function postParts(log: RunReport, metrics: RunReport): Promise<RemoteRun | null> {
    const parts = [log, metrics].filter((part) => Object.keys(part).length > 0)
    if (parts.length === 0) return null
    try {
      return await post(Object.assign({}, ...parts))
    } catch (error) {
      if (!isRejected(error)) throw error
      if (parts.length > 1) {
        const afterLog = await postParts(log, {})
        return (await postParts({}, metrics)) ?? afterLog
      }
      const what = log.log_chunk === undefined ? 'metrics' : 'log lines'
      leaveBehind(journal, `Some ${what} were not sent`, error)
      const good = withoutRefused(error, metrics.metrics ?? [])
      if (good.length > 0) {
        logLine(`dropped rejected lines of metrics.jsonl: ${failureLine(error)}`)
        return postParts({}, { ...metrics, metrics: good })
      }
      logLine(`dropped rejected ${what}: ${failureLine(error)}`)
      return error.kind === 'quota.storage' ? progressOf(metrics) : null
    }
  }

  /** Progress needs no storage: with the owner's quota full, a run still reports it and can end normally. */
  async function progressOf({ metrics: _lines, metrics_seq: _seq, ...rest }: RunReport): Promise<RemoteRun | null> {
    return Object.keys(rest).length > 0 ? post(rest) : null
  }

  return postParts
}

/** The lines that the hub did not reject; none if it named none, so that the same batch is not sent twice. */
function withoutRefused<T>(error: ProblemError, lines: readonly T[]): readonly T[] {
  const refused = refusedIndexes(error, 'metrics', lines.length)
  return refused.size === 0 ? [] : lines.filter((_, index) => !refused.has(index))
}

/** The hub stores nothing of a report if any part breaks a limit or rule. */
function isRejected(error: unknown): error is ProblemError {
  return error instanceof ProblemError && [400, 413, 422].includes(error.status)
}
