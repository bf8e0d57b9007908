/** The columns of a run that decide its state changes, and its row lock. Lock order: repos, runs, accounts, uploads, blobs. */

import { isId } from '@hub/formats/ids'
import { runViewer, visibleRuns } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import type { Usd } from '../platform/money.ts'
import { column, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { heldJobColumns } from '../work/held-job.ts'
import { deadlineSql } from './lease/deadline.ts'
import { visibleRun } from './read/run-shape.ts'

/** All of these columns except the clock, of the runs row `u`. */
export const heldColumns = heldJobColumns.with({
  status: column.enum('JobStatus', 'u.status'),
  lostLeases: column.int4('u.lost_leases'),
  barredCredential: column.text.orNull('u.barred_credential'),
  barredUntil: column.timestamptz.orNull('u.barred_until'),
  stopReason: column.text.orNull('u.stop_reason'),
  leaseOver: column.bool('coalesce(u.lease_expires_at <= now(), false)'),
  maxHours: column.float8('u.max_hours::float8'),
  deadlineAt: column.timestamptz.orNull(deadlineSql),
  priced: column.bool('u.priced'),
  rateUsdPerHour: column.numeric.orNull<Usd>('u.rate_usd_per_hour'),
  budgetUsd: column.numeric.orNull<Usd>('u.budget_usd'),
  gpuType: column.text.orNull('u.gpu_type'),
  selfStarted: column.bool('u.self_started'),
})

/** With the database's clock, which all decisions about time use. */
export const rowColumns = heldColumns.with({ now: column.timestamptz('now()') })

export type HeldRun = RowOf<typeof rowColumns>

const visibleById = statement({
  name: 'run-facts-visible',
  columns: rowColumns,
  params: { ...runViewer, runId: param.text() },
  text: `select ${rowColumns.sql} from runs u where u.id = :runId and ${visibleRun}`,
})

const lockById = statement({
  name: 'run-lock',
  columns: rowColumns,
  params: { id: param.text() },
  text: `select ${rowColumns.sql} from runs u where u.id = :id for update`,
})

/** The run with this id; 404 if the caller may not see it. */
export async function findRun(ctx: RequestContext, id: string): Promise<HeldRun> {
  const found = isId('run', id) ? await ctx.deps.db.query(visibleById, { ...visibleRuns(ctx.viewer), runId: id }) : []
  const [run] = found
  if (!run) throw notFound(`The run ${id.slice(0, 64)}`)
  return run
}

/** Locks the run's row until the transaction ends, and returns its current values; 404 if the run was deleted. */
export async function lockRun(tx: Querier, id: string): Promise<HeldRun> {
  const [run] = await tx.query(lockById, { id })
  if (!run) throw notFound(`The run ${id}`)
  return run
}
