/**
 * Endpoints without a limit reserve a month at a time: at its end the hub reserves the next one, or asks the endpoint
 * to stop. Contract, "Money that is reserved".
 */
import { lockAccounts } from '../../accounts/lock-accounts.ts'
import { renewSpend } from '../../billing/reservations.ts'
import { audit, noViewer } from '../../operation/audit.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { askToStop, endFailed } from '../../work/stop.ts'
import type { SweepDeps } from '../../work/sweep.ts'
import { reservationOf } from '../create/reserve-endpoint.ts'
import { endpointJob } from '../endpoint-job.ts'
import { type HeldEndpoint, lockEndpoint } from '../endpoint-row.ts'
import { readSessionsUsd } from './sessions-usd.ts'
import { settleEndpoint } from './settle-endpoint.ts'

const idColumn = columns({ id: column.text('r.job_id') })

/** One that was asked to stop needs no other month. */
const isDue = `r.covers_to <= now() and u.status in ('queued', 'running') and u.cancel_requested_at is null`

const nextDue = statement({
  name: 'endpoint-renewals-due',
  exact: 'next-batch',
  columns: idColumn,
  params: { failed: param.texts() },
  text: `select ${idColumn.sql} from spend_reservations r join endpoints u on u.id = r.job_id
    where ${isDue} and r.job_id <> all(:failed::text[]) order by r.covers_to limit 1`,
})

const stillDue = statement({
  name: 'endpoint-renewal-due',
  exact: 'in-transaction',
  columns: idColumn,
  params: { id: param.text() },
  text: `select ${idColumn.sql} from spend_reservations r join endpoints u on u.id = r.job_id where r.job_id = :id and ${isDue}`,
})

/**
 * Renews each that is due, in a transaction of its own; returns their number. One that cannot be renewed now keeps no
 * other from it.
 */
export async function renewReservations(deps: SweepDeps): Promise<number> {
  const failed: string[] = []
  for (let renewed = 0; ; ) {
    const [due] = await deps.db.query(nextDue, { failed })
    if (!due) return renewed
    try {
      await deps.db.withTx((tx) => renewOne(deps, tx, due.id))
      renewed += 1
    } catch (error) {
      deps.log.error({ err: error, endpoint: due.id }, 'a reservation that was due was not renewed')
      failed.push(due.id)
    }
  }
}

async function renewOne(deps: SweepDeps, tx: Tx, id: string): Promise<void> {
  const endpoint = await lockEndpoint(tx, id)
  await lockAccounts(tx, [endpoint.ownerId])
  const [due] = await tx.query(stillDue, { id })
  const { rateUsdPerHour } = endpoint
  if (!due || rateUsdPerHour === null) return
  const request = await reservationOf(tx, { ...endpoint, rateUsdPerHour }, await readSessionsUsd(tx, id))
  const refusal = await renewSpend(tx, noViewer, request)
  if (refusal === null) return
  if (endpoint.status === 'running') await askToStop(tx, endpointJob, id, 'spend_cap')
  else await endQueued(tx, endpoint, refusal.message)
  tx.afterCommit(() => deps.events.hint(id))
}

/** Nothing ran, so there is no server to ask. */
async function endQueued(tx: Tx, endpoint: HeldEndpoint, error: string): Promise<void> {
  const costUsd = await settleEndpoint(tx, endpoint, 'endpoint_failed')
  await endFailed(tx, endpointJob, endpoint.id, { reason: 'spend_cap', error, costUsd })
  const change = { before: { status: endpoint.status }, after: { status: 'failed', costUsd, error } }
  await audit(tx, noViewer, {
    action: 'endpoint.finish',
    accountId: endpoint.ownerId,
    targetId: endpoint.id,
    ...change,
  })
}
