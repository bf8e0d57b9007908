/** Reporting what a command has written, each byte once: the journal holds what is under way until the hub has answered. */
import type { HubClient } from '../hub-client.ts'
import { failureLine, ProblemError, refusedIndexes } from '../problem.ts'
import type { RemoteRun, RunReport } from '../run-shapes.ts'
import { cutChunk, MAX_CHUNK_BYTES } from './chunk-cutter.ts'
import type { Journal, Sending } from './journal.ts'
import { type MetricsBatch, measuredIn, progressIn, readMetrics } from './metrics-batch.ts'
import { type RunFiles, readFrom, sizeOf } from './run-files.ts'

/** The hub says that this runner lost its claim on the run: what the command does from now on counts for nothing. */
export class LostClaim extends Error {
  constructor(cause: ProblemError) {
    super(failureLine(cause), { cause })
    this.name = 'LostClaim'
  }
}

export interface Reporter {
  /** Sends what is there when it begins, oldest first; with `isWhole` also a last line without an end. Answers the run as the last report left it, or null when there was nothing. */
  flush(isWhole: boolean): Promise<RemoteRun | null>
  /** One report that has no lines. */
  post(report: RunReport): Promise<RemoteRun>
}

export interface ReporterOptions {
  readonly client: HubClient
  readonly files: RunFiles
  readonly journal: Journal
  readonly hyperparams: Readonly<Record<string, unknown>>
  readonly gpuTier?: string
  readonly tell: (line: string) => void
}

/** More than a batch of metrics takes, so that its end is seen. */
const METRICS_WINDOW = 1024 * 1024 + 64 * 1024
const NEWLINE = 10

/** Rejects with `LostClaim`, or what the client rejects with when it gives up. */
export function createReporter(options: ReporterOptions): Reporter {
  const { client, files, journal, tell } = options
  const { runId, attempt } = journal.state

  async function post(report: RunReport): Promise<RemoteRun> {
    try {
      return await client.runs.report(runId, { attempt, ...report })
    } catch (error) {
      if (error instanceof ProblemError && [401, 403, 404, 409].includes(error.status)) throw new LostClaim(error)
      throw error
    }
  }

  /** What is to be sent next: after a restart, what was under way. */
  async function next(isWhole: boolean): Promise<Sending | null> {
    const { state } = journal
    if (state.sending) return state.sending
    const [output, batch] = await Promise.all([
      readFrom(files.output, state.log.bytes, MAX_CHUNK_BYTES),
      metricsFrom(state.metrics.bytes, METRICS_WINDOW, (length) => isWhole && length < METRICS_WINDOW),
    ])
    // The end of the command is not the end of these bytes: only a reading that came to the file's end has its last line.
    const chunk = cutChunk(output, isWhole && output.length < MAX_CHUNK_BYTES)
    if (!chunk && batch.size === 0) return null
    const sending = {
      log: chunk && { from: state.log.bytes, to: state.log.bytes + chunk.size },
      metrics: batch.size === 0 ? null : { from: state.metrics.bytes, to: state.metrics.bytes + batch.size },
    }
    journal.put({ sending })
    return sending
  }

  /** The batch at a place of the file, with the byte before it: that one says whether a line begins here. */
  async function metricsFrom(from: number, length: number, isEnd: (length: number) => boolean): Promise<MetricsBatch> {
    const before = Math.min(from, 1)
    const bytes = await readFrom(files.metrics, from - before, before + length)
    const isInLine = before === 1 && bytes.length > 0 && bytes[0] !== NEWLINE
    const window = bytes.subarray(before)
    return readMetrics(window, isEnd(window.length), isInLine)
  }

  async function send(sending: Sending): Promise<RemoteRun | null> {
    const { log, metrics } = sending
    const output = log && (await readFrom(files.output, log.from, log.to - log.from))
    const batch = metrics && (await metricsFrom(metrics.from, metrics.to - metrics.from, () => true))
    const logPart: RunReport = output ? { log_chunk: cutChunk(output, true)?.text, log_seq: journal.state.log.seq } : {}
    const run = await postParts(logPart, batch && batch.lines.length > 0 ? metricsPart(batch.lines) : {})
    for (const line of batch?.refused ?? []) tell(`a line of metrics.jsonl was left out: ${line}`)
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

  /** A part that the hub refuses as such is left out, so that a training goes on without it; the other part is sent. */
  async function postParts(log: RunReport, metrics: RunReport): Promise<RemoteRun | null> {
    const parts = [log, metrics].filter((part) => Object.keys(part).length > 0)
    if (parts.length === 0) return null
    try {
      return await post(Object.assign({}, ...parts))
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (parts.length > 1) {
        const afterLog = await postParts(log, {})
        return (await postParts({}, metrics)) ?? afterLog
      }
      const good = withoutRefused(error, metrics.metrics ?? [])
      if (good.length > 0) {
        tell(`lines of metrics.jsonl were refused and left out: ${failureLine(error)}`)
        return postParts({}, { ...metrics, metrics: good })
      }
      tell(`${log.log_chunk === undefined ? 'metrics' : 'log lines'} were refused and left out: ${failureLine(error)}`)
      return error.kind === 'quota.storage' ? progressOf(metrics) : null
    }
  }

  /** What takes no room: with the owner's storage full, a run still shows how far it is, and ends as it ends. */
  async function progressOf({ metrics: _lines, metrics_seq: _seq, ...rest }: RunReport): Promise<RemoteRun | null> {
    return Object.keys(rest).length > 0 ? post(rest) : null
  }

  return {
    post,
    async flush(isWhole) {
      const [logEnd, metricsEnd] = await Promise.all([sizeOf(files.output), sizeOf(files.metrics)])
      // What the command writes meanwhile waits for the next beat: else each of its lines would be a report.
      const isBehind = () => journal.state.log.bytes < logEnd || journal.state.metrics.bytes < metricsEnd
      let run: RemoteRun | null = null
      while (isBehind() || journal.state.sending) {
        const sending = await next(isWhole)
        if (!sending) break
        run = (await send(sending)) ?? run
      }
      return run
    },
  }
}

/** The lines that the hub did not point at; none where it pointed at none, so that the same is not sent twice. */
function withoutRefused<T>(error: ProblemError, lines: readonly T[]): readonly T[] {
  const refused = refusedIndexes(error, 'metrics', lines.length)
  return refused.size === 0 ? [] : lines.filter((_, index) => !refused.has(index))
}

/** Nothing of a report is stored when any of it is over a limit or against a rule. */
function isRefusal(error: unknown): error is ProblemError {
  return error instanceof ProblemError && [400, 413, 422].includes(error.status)
}
