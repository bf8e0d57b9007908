/**
 * The batches that a follower of a job gets, and the state that followers share. Batches are shared too, so a rendering
 * of a batch (an SSE text, for example) can be cached with it.
 */
import type { JobStatus } from '../job-state.ts'
import type { JobLog, JobMetrics, LogHead, MetricRow } from './job-log.ts'
import type { LogPosition } from './position.ts'

declare module '../../operation/context.ts' {
  interface Deps {
    /** Use `followLog`. */
    readonly logs: SharedLogs
  }
}

/** Lines that end in one chunk, without line ends; or the open line of the log, as far as it goes. */
export interface LogBatch {
  readonly kind: 'log'
  readonly stream: 'stdout' | 'stderr'
  /** When the chunk arrived in which they end. */
  readonly at: string
  readonly lines: readonly string[]
  /** Number of lines of the chunk before these. */
  readonly from: number
  /** Whether these are the last lines of the chunk. */
  readonly isLast: boolean
  /** The follower's position before the first of the lines. */
  readonly before: LogPosition
  readonly after: LogPosition
  /** The share of one turn of the event loop that sending the batch to one follower takes. */
  readonly cost: number
}

/** Metrics lines as JSON text. */
export interface MetricBatch {
  readonly kind: 'metric'
  readonly rows: readonly MetricRow[]
  readonly before: LogPosition
  readonly after: LogPosition
  readonly cost: number
}

/** The last batch: the status of the job when everything before it had been sent. */
export interface EndBatch {
  readonly kind: 'end'
  readonly status: JobStatus
  readonly after: LogPosition
}

export type FollowedBatch = LogBatch | MetricBatch | EndBatch

/** What a follower at position `before` is given. */
export interface LinesWanted {
  readonly before: LogPosition
  /** Without ANSI sequences. */
  readonly strip: boolean
}

/** The state that all followers of one hub share. */
export interface SharedLogs {
  /**
   * The end of the job as it was at `since` or later (a moment of `performance.now()`); null if it was deleted. All
   * followers that were woken by one hint share one read, at whatever moment they come back for it.
   */
  head(log: JobLog, jobId: string, since: number): Promise<LogHead | null>
  /** Lines of chunk `seq` from `from` on, a few thousand at most, for a follower at position `before`. */
  logBatch(log: JobLog, jobId: string, wanted: LinesWanted & { seq: number; from: number }): Promise<LogBatch>
  /** The open line of a log that has one, as the line after those of its last chunk. */
  openLine(log: JobLog, jobId: string, head: LogHead, wanted: LinesWanted): Promise<LogBatch>
  /** The next page of metrics for a follower at position `before`. */
  metricBatch(metrics: JobMetrics, jobId: string, head: LogHead, before: LogPosition): Promise<MetricBatch>
}
