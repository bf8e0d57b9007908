/**
 * What a follower of a job gets, one batch at a time, and what followers share. Batches are shared too: what is rendered from one (an SSE text, say) can be cached
 * with it.
 */
import type { JobStatus } from '../job-status.ts'
import type { JobLog, JobMetrics, LogHead, MetricRow } from './job-log.ts'
import type { LogPosition } from './position.ts'

declare module '../../operation/context.ts' {
  interface Deps {
    /** Use `followLog`. */
    readonly logs: SharedLogs
  }
}

/** Lines of one chunk, without their ends. */
export interface LogBatch {
  readonly kind: 'log'
  readonly stream: 'stdout' | 'stderr'
  readonly at: string
  readonly lines: readonly string[]
  /** How many lines of the chunk come before these. */
  readonly from: number
  /** No further line of the chunk comes after these. */
  readonly isLast: boolean
  /** The follower's position before the first of the lines. */
  readonly before: LogPosition
  readonly after: LogPosition
  /** Of one turn of the event loop, what handing it to one follower takes. */
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

/** The last one: the job's status when everything up to here had been shown. */
export interface EndBatch {
  readonly kind: 'end'
  readonly status: JobStatus
  readonly after: LogPosition
}

export type FollowedBatch = LogBatch | MetricBatch | EndBatch

/** What all followers of one hub share. */
export interface SharedLogs {
  /** The current end of the job; null if it was deleted. Followers that were woken together share one read. */
  head(log: JobLog, jobId: string): Promise<LogHead | null>
  /** Lines of chunk `seq` from `from` on, a few thousand at most, for a follower at position `before`. */
  logBatch(
    log: JobLog,
    jobId: string,
    seq: number,
    from: number,
    before: LogPosition,
    strip: boolean,
  ): Promise<LogBatch>
  /** The next page of metrics for a follower at position `before`. */
  metricBatch(metrics: JobMetrics, jobId: string, head: LogHead, before: LogPosition): Promise<MetricBatch>
}
