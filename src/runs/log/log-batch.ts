/**
 * What a follower of a run gets, a batch at a time, and what followers share. Batches are shared too: what is made of one (an SSE text, say) can be kept
 * beside it.
 */
import type { JobStatus } from '../run-state.ts'
import type { LogPosition } from './position.ts'

declare module '../../operation/context.ts' {
  interface Deps {
    /** Use `followRun`. */
    readonly runLogs: SharedRunLogs
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
  /** Where a follower stands before the first of the lines. */
  readonly before: LogPosition
  readonly after: LogPosition
  /** Of one turn of the event loop, what handing it to one follower takes. */
  readonly cost: number
}

/** Metrics lines as JSON text. */
export interface MetricBatch {
  readonly kind: 'metric'
  readonly rows: readonly { readonly seq: number; readonly line: string }[]
  readonly before: LogPosition
  readonly after: LogPosition
  readonly cost: number
}

/** The last one: the run's status when everything up to here had been shown. */
export interface EndBatch {
  readonly kind: 'end'
  readonly status: JobStatus
  readonly after: LogPosition
}

export type RunBatch = LogBatch | MetricBatch | EndBatch

/** How far a run's log and metrics go. */
export interface RunHead {
  readonly status: JobStatus
  readonly kind: 'cloud' | 'external' | 'orchestration'
  readonly logSeq: number
  readonly logLines: number
  readonly metricsSeq: number
  /** Changes when metrics of a lost attempt are hidden. */
  readonly epoch: string
}

/** What all followers of one hub share. */
export interface SharedRunLogs {
  /** How far the run goes now; null when it is gone. Followers who were woken together ask once. */
  head(runId: string): Promise<RunHead | null>
  /** Lines of chunk `seq` from `from` on, some thousands at most, for a follower that stands at `before`. */
  logBatch(runId: string, seq: number, from: number, before: LogPosition, strip: boolean): Promise<LogBatch>
  /** The next page of metrics for a follower that stands at `before`. */
  metricBatch(runId: string, head: RunHead, before: LogPosition): Promise<MetricBatch>
}
