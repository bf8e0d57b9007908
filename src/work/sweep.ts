/**
 * The sweep: state changes of a kind of job that the hub itself has to make. A kind without a lease and without limits
 * has no sweep.
 */
import type { Deps } from '../operation/context.ts'
import { type Columns, column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import type { JobKind } from './job-kind.ts'

export type SweepDeps = Pick<Deps, 'config' | 'db' | 'events' | 'log' | 'objects' | 'queue'>

interface SweepParts<Row> {
  readonly job: JobKind
  /** The columns of the row `u` that `sweep` needs. */
  readonly columns: Columns<Row>
  /** SQL condition: the running job `u` is due for the sweep. */
  readonly dueSql: string
  /** Sweeps one job with its row locked; false if there was nothing to do. */
  readonly sweep: (deps: SweepDeps, tx: Tx, job: Row) => Promise<boolean>
}

const idColumn = columns({ id: column.text('u.id') })

/** A sweep and its statements. */
export function sweepOf<Row>({ job, columns: selected, dueSql, sweep }: SweepParts<Row>) {
  const nextDue = statement({
    name: `${job.name}-next-due`,
    exact: 'next-batch',
    columns: idColumn,
    params: { failed: param.texts() },
    text: `select ${idColumn.sql} from ${job.table} u where u.status = 'running' and ${dueSql} and u.id <> all(:failed::text[])
      order by u.id limit 1`,
  })
  /** `skip locked`: of several hubs that sweep at the same time, one gets the job; and a job whose report is in progress is not swept. */
  const lockDue = statement({
    name: `${job.name}-lock-due`,
    columns: selected,
    params: { jobId: param.text() },
    text: `select ${selected.sql} from ${job.table} u where u.id = :jobId and u.status = 'running' and ${dueSql} for update skip locked`,
  })
  return { job, nextDue, lockDue, sweep }
}

export type Sweep<Row> = ReturnType<typeof sweepOf<Row>>

/**
 * Sweeps every job that is due and that no other hub is sweeping; returns the number of swept jobs. Each job has its
 * own transaction. A job that cannot be swept is left for the next sweep and does not block the others.
 */
export async function sweepDue<Row>(deps: SweepDeps, sweep: Sweep<Row>): Promise<number> {
  const failed: string[] = []
  for (let swept = 0; ; ) {
    const [due] = await deps.db.query(sweep.nextDue, { failed })
    if (!due) return swept
    try {
      if (await deps.db.withTx((tx) => sweepOne(deps, tx, sweep, due.id))) swept += 1
      else failed.push(due.id)
    } catch (error) {
      deps.log.error({ err: error, job: due.id }, `a ${sweep.job.name} that was due was not swept`)
      failed.push(due.id)
    }
  }
}

/** False if another hub or a report has the row lock, or if the holder has reported in the meantime. */
async function sweepOne<Row>(deps: SweepDeps, tx: Tx, sweep: Sweep<Row>, jobId: string): Promise<boolean> {
  const [row] = await tx.query(sweep.lockDue, { jobId })
  return row ? sweep.sweep(deps, tx, row) : false
}
