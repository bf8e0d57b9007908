/**
 * The hub's own end of approvals past their expiry, and of sessions whose token or approval has ended.
 * Contract, "Endpoint sessions".
 */
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { DUE_PAGE, eachDue, type SweepDeps } from '../../work/sweep.ts'
import { countSessions } from './close-sessions.ts'

const idColumn = columns({ id: column.text('p.id') })
/** SKIP LOCKED: one that a person revokes right now is theirs. */
const expireApprovals = statement({
  name: 'approvals-expire',
  columns: idColumn,
  text: `update approvals p set status = 'expired' where p.id = any(array(select id from approvals
      where status in ('issued', 'running') and expires_at <= now() order by expires_at limit 1000
      for update skip locked))
    returning ${idColumn.sql}`,
})

const dueSql = `(s.expires_at <= now() or p.expires_at <= now() or p.status in ('expired', 'revoked'))`
const endpointColumn = columns({ endpointId: column.text('s.endpoint_id') })
const nextDue = statement({
  name: 'endpoint-sessions-next-due',
  exact: 'next-batch',
  columns: endpointColumn,
  params: { after: param.text() },
  text: `select distinct ${endpointColumn.sql} from endpoint_sessions s left join approvals p on p.id = s.approval_id
    where s.status = 'open' and ${dueSql} and s.endpoint_id > :after order by s.endpoint_id limit ${DUE_PAGE}`,
})
const lockIfFreeColumn = columns({ id: column.text('id') })

const lockIfFree = statement({
  name: 'endpoint-sessions-lock-due',
  columns: lockIfFreeColumn,
  params: { endpointId: param.text() },
  text: `select ${lockIfFreeColumn.sql} from endpoints where id = :endpointId for update skip locked`,
})
const closedColumn = columns({ id: column.text('s.id') })
const closeDue = statement({
  name: 'endpoint-sessions-close-due',
  columns: closedColumn,
  params: { endpointId: param.text() },
  text: `update endpoint_sessions s set status = 'closed', closed_at = now(), closed_reason = due.reason
    from (select s.id, case p.status when 'revoked' then 'revoked' else 'expired' end as reason
      from endpoint_sessions s left join approvals p on p.id = s.approval_id
      where s.endpoint_id = :endpointId and s.status = 'open' and ${dueSql}) due
    where s.id = due.id and s.status = 'open' returning ${closedColumn.sql}`,
})

/**
 * Expires approvals and closes sessions that are over; returns how many changed. An endpoint that someone else holds
 * right now is left to the next time.
 */
export async function sweepSessions(deps: SweepDeps): Promise<number> {
  const expired = await deps.db.query(expireApprovals)
  const closed = await eachDue({
    next: async (after) => (await deps.db.query(nextDue, { after })).map(({ endpointId }) => endpointId),
    visit: (endpointId) => closeSessionsOf(deps, endpointId),
    failed: (error, endpoint) => deps.log.error({ err: error, endpoint }, 'sessions that were over were not closed'),
  })
  return expired.length + closed
}

function closeSessionsOf(deps: SweepDeps, endpointId: string): Promise<number> {
  return deps.db.withTx(async (tx) => {
    const [free] = await tx.query(lockIfFree, { endpointId })
    if (!free) return 0
    const { length } = await tx.query(closeDue, { endpointId })
    if (length === 0) return 0
    await countSessions(tx, endpointId, { closed: length })
    tx.afterCommit(() => deps.events.hint(endpointId))
    return length
  })
}
