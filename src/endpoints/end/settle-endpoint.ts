/**
 * What every end of an endpoint does: closes its sessions, bills each of them, and releases the model repo and what was
 * reserved.
 */
import { addLedgerEntries } from '../../billing/ledger.ts'
import { releaseSpend } from '../../billing/reservations.ts'
import type { Usd } from '../../platform/money.ts'
import { dropReferences } from '../../repos/references.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import type { HeldEndpoint } from '../endpoint-row.ts'
import { closeSessions } from '../sessions/close-sessions.ts'
import { billOf, ceilingUsd } from './bill.ts'

const sessionColumns = columns({
  id: column.text('s.id'),
  gpuSeconds: column.numeric('s.gpu_seconds'),
})

/** In the order of bills, which is the order in which they were opened. */
const lockSessions = statement({
  name: 'endpoint-sessions-lock',
  columns: sessionColumns,
  params: { id: param.text() },
  text: `select ${sessionColumns.sql} from endpoint_sessions s where s.endpoint_id = :id order by s.id for update`,
})

const writeCosts = statement({
  name: 'endpoint-sessions-cost',
  params: { ids: param.texts(), amounts: param.numerics<readonly Usd[]>() },
  text: `update endpoint_sessions s set cost_usd = billed.amount
    from unnest(:ids::text[], :amounts::numeric[]) as billed (id, amount) where s.id = billed.id`,
})

/**
 * In the transaction that ends the endpoint, under its lock and before its row changes; returns what it costs. `reason`
 * is the `closed_reason` of sessions that were open. One ledger row for each session: 0 on a worker.
 */
export async function settleEndpoint(tx: Tx, endpoint: HeldEndpoint, reason: string): Promise<Usd> {
  const { id, ownerId, attempt, rateUsdPerHour, priced, tier } = endpoint
  await closeSessions(tx, { endpointId: id, reason })
  const sessions = await tx.query(lockSessions, { id })
  const ceiling = ceilingUsd({ ...endpoint, finishedAt: endpoint.now }, endpoint.now)
  const { amounts, totalUsd } = billOf(
    rateUsdPerHour,
    sessions.map(({ gpuSeconds }) => gpuSeconds),
    ceiling,
  )
  const entries = sessions.map(({ id: jobId, gpuSeconds }, place) => ({
    jobId,
    seconds: gpuSeconds,
    amountUsd: amounts[place] ?? '0.0000',
  }))
  if (sessions.length > 0) {
    await tx.query(writeCosts, { ids: sessions.map((session) => session.id), amounts })
    const common = {
      accountId: ownerId,
      jobKind: 'endpoint_session',
      attempt,
      kind: 'gpu',
      tier: priced ? tier : null,
    } as const
    await addLedgerEntries(tx, common, entries)
  }
  await releaseSpend(tx, id)
  await dropReferences(tx, id)
  return totalUsd
}
