/**
 * The limits of endpoints, by the hub's own clock: a server is asked to stop, and its endpoint ended a minute later if
 * it does not. Contract, "Endpoint cost".
 */
import { audit, noViewer } from '../../operation/audit.ts'
import type { Usd } from '../../platform/money.ts'
import { column, type RowOf } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { deadlineError, isDeadlineOver, limitReached } from '../../work/limits.ts'
import { askToStop, endFailed } from '../../work/stop.ts'
import { type SweepDeps, sweepDue, sweepOf } from '../../work/sweep.ts'
import { endpointJob } from '../endpoint-job.ts'
import { deadlineSql, graceOverSql, type HeldEndpoint, nextStatus, rowColumns } from '../endpoint-row.ts'
import { accruedUsd, ceilingUsd } from './bill.ts'
import { sessionsUsdSql } from './sessions-usd.ts'
import { settleEndpoint } from './settle-endpoint.ts'

const sweptColumns = rowColumns.with({ sessionsUsd: column.numeric<Usd>(sessionsUsdSql) })

type SweptEndpoint = RowOf<typeof sweptColumns>

const endpointSweep = sweepOf<SweptEndpoint>({
  job: endpointJob,
  columns: sweptColumns,
  dueSql: `(${graceOverSql} or u.cancel_requested_at is null
    and (${deadlineSql} <= now() or u.priced and u.budget_usd is not null and u.budget_usd <= ${sessionsUsdSql}))`,
  sweep: sweepOne,
})

/**
 * Asks every running endpoint that has reached a limit to stop, and ends those that were asked and did not, or whose
 * server is dead; returns their number.
 */
export function sweepEndpoints(deps: SweepDeps): Promise<number> {
  return sweepDue(deps, endpointSweep)
}

async function sweepOne(deps: SweepDeps, tx: Tx, endpoint: SweptEndpoint): Promise<boolean> {
  if (endpoint.cancelRequestedAt !== null) {
    await endOverdue(deps, tx, endpoint)
    return true
  }
  const accrued = accruedUsd(endpoint.sessionsUsd, ceilingUsd({ ...endpoint, finishedAt: null }, endpoint.now))
  const limit = limitReached('endpoint', { ...endpoint, maxHours: endpoint.maxHours ?? 0 }, accrued)
  if (!limit) return false
  await askToStop(tx, endpointJob, endpoint.id, limit.reason)
  tx.afterCommit(() => deps.events.hint(endpoint.id))
  return true
}

/**
 * Ends an endpoint whose server did not stop in time: no session can be opened with it any more, and what it has cost
 * is billed.
 */
async function endOverdue(deps: SweepDeps, tx: Tx, endpoint: HeldEndpoint): Promise<void> {
  const to = nextStatus('sweep', endpoint, { credentialId: null })
  const isDeadline = isDeadlineOver(endpoint)
  const reason = isDeadline ? 'max_hours' : (endpoint.stopReason ?? '')
  const error = isDeadline ? deadlineError('endpoint', { maxHours: endpoint.maxHours ?? 0 }) : errorOf(endpoint)
  const costUsd = await settleEndpoint(tx, endpoint, 'endpoint_failed')
  await endFailed(tx, endpointJob, endpoint.id, { reason, error, costUsd })
  await audit(tx, noViewer, {
    action: 'endpoint.finish',
    accountId: endpoint.ownerId,
    targetId: endpoint.id,
    before: { status: endpoint.status, worker: endpoint.claimedBy },
    after: { status: to, costUsd, error },
  })
  tx.afterCommit(() => deps.events.hint(endpoint.id))
}

function errorOf({ stopReason, budgetUsd, executor }: HeldEndpoint): string {
  if (stopReason === 'budget') return unstopped(`spent its budget of ${budgetUsd} USD`)
  if (stopReason === 'spend_cap') return unstopped('found no room in the spend cap of the new month')
  if (executor === 'hosted') return unstopped('was asked to stop')
  return 'The endpoint was asked to stop, its server has not reported since, and the hub ended it.'
}

const unstopped = (why: string) => `The endpoint ${why}, its server did not stop, and the hub ended it.`
