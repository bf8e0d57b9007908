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

/** What a sweep asks for at once: ids, each of which is looked at again with its row locked. */
export const DUE_PAGE = 100

/** How a sweep goes over what is due, by one key. */
interface DueParts {
  /** The next `DUE_PAGE` keys that are due, after one. */
  readonly next: (after: string) => Promise<readonly string[]>
  /** The changes that were made. */
  readonly visit: (key: string) => Promise<number>
  readonly failed: (error: unknown, key: string) => void
}

/**
 * Visits each key that is due, once and in order, and returns the number of changes. What is not due is read once,
 * however many are: a search from the first one for each would read it as often. One that fails, or is due again, is
 * left to the next sweep.
 */
export async function eachDue({ next, visit, failed }: DueParts): Promise<number> {
  let changes = 0
  for (let after = ''; ; ) {
    const keys = await next(after)
    for (const key of keys) {
      try {
        changes += await visit(key)
      } catch (error) {
        failed(error, key)
      }
    }
    const last = keys.at(-1)
    if (last === undefined || keys.length < DUE_PAGE) return changes
    after = last
  }
}

/** A sweep and its statements. */
export function sweepOf<Row>({ job, columns: selected, dueSql, sweep }: SweepParts<Row>) {
  const nextDue = statement({
    name: `${job.name}-next-due`,
    exact: 'next-batch',
    columns: idColumn,
    params: { after: param.text() },
    text: `select ${idColumn.sql} from ${job.table} u where u.status = 'running' and ${dueSql} and u.id > :after
      order by u.id limit ${DUE_PAGE}`,
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
export function sweepDue<Row>(deps: SweepDeps, sweep: Sweep<Row>): Promise<number> {
  return eachDue({
    next: async (after) => (await deps.db.query(sweep.nextDue, { after })).map(({ id }) => id),
    visit: async (id) => Number(await deps.db.withTx((tx) => sweepOne(deps, tx, sweep, id))),
    failed: (error, id) => deps.log.error({ err: error, job: id }, `a ${sweep.job.name} that was due was not swept`),
  })
}

/** False if another hub or a report has the row lock, or if the holder has reported in the meantime. */
async function sweepOne<Row>(deps: SweepDeps, tx: Tx, sweep: Sweep<Row>, jobId: string): Promise<boolean> {
  const [row] = await tx.query(sweep.lockDue, { jobId })
  return row ? sweep.sweep(deps, tx, row) : false
}
