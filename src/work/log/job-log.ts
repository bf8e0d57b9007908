/** The log of a kind of job, as its writers, followers and downloads use it. */
import type { Deps, RequestContext, Viewer } from '../../operation/context.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { JobKind } from '../job-kind.ts'

/**
 * The table of the jobs also has `log_seq`, `log_lines` and `log_bytes`, the number of the last chunk and the sums of
 * all chunks, its open line (`logEndColumns` of `write-chunks.ts`), and `log_first`, before which retention has dropped
 * all (`log-retention.ts`).
 */
export interface JobLog {
  readonly job: JobKind
  /** The table of the chunks, and its column of the job's id. */
  readonly chunks: { readonly table: string; readonly jobId: string }
  /** The current end of the log. 404 if this viewer may not see the job. */
  findHead(ctx: RequestContext, viewer: Viewer, jobId: string): Promise<LogHead>
  /** Metrics that followers get in addition to the log; null for a kind without metrics. */
  readonly metrics: JobMetrics | null
}

/** Metrics lines, numbered by the job's own counter. */
export interface JobMetrics {
  /** SQL on the job's row `u`: the last number, and a value that changes when lines are hidden. */
  readonly seqSql: string
  readonly epochSql: string
  /** A page of the lines with numbers after `after` up to `upTo`, and the number that the page reaches. */
  read(deps: Pick<Deps, 'db' | 'objects'>, jobId: string, after: number, upTo: number): Promise<MetricsPage>
}

export interface MetricsPage {
  readonly rows: readonly MetricRow[]
  readonly reaches: number
}

/** A metrics line as JSON text. */
export interface MetricRow {
  readonly seq: number
  readonly line: string
}

/** Columns of `LogHead` on the job's row `u`. */
export function headColumns({ metrics }: Pick<JobLog, 'metrics'>) {
  return columns({
    status: column.enum('JobStatus', 'u.status'),
    logSeq: column.int4('u.log_seq'),
    /** The first chunk that is kept. */
    logFirst: column.int4('coalesce(u.log_first, 1)'),
    logLines: column.int8('u.log_lines'),
    /** The chunk in which the open line began; null without one. */
    openFrom: column.int4.orNull('u.log_open_from'),
    /** 0 for a kind without metrics. */
    metricsSeq: column.int8(metrics?.seqSql ?? '0::int8'),
    /** Changes when metrics of a lost attempt are hidden. */
    epoch: column.text(metrics?.epochSql ?? "''"),
  })
}

/** The current end of a job's log and metrics. */
export type LogHead = RowOf<ReturnType<typeof headColumns>>
