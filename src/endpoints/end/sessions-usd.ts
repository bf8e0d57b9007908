/**
 * What the sessions of an endpoint cost so far, each by itself: the sum that bills and displays hold against their
 * ceiling.
 */
import type { Usd } from '../../platform/money.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'

/** Of the endpoint `u`; 0 where it is not priced. */
export const sessionsUsdSql = `case when u.priced
  then (select coalesce(sum(round(u.rate_usd_per_hour * s.gpu_seconds / 3600, 4)), 0)
  from endpoint_sessions s where s.endpoint_id = u.id) else 0 end`

const sumColumns = columns({ usd: column.numeric<Usd>(sessionsUsdSql) })

const sumOf = statement({
  name: 'endpoint-sessions-usd',
  exact: 'in-transaction',
  columns: sumColumns,
  params: { endpointId: param.text() },
  text: `select ${sumColumns.sql} from endpoints u where u.id = :endpointId`,
})

/** The sum for one endpoint. */
export async function readSessionsUsd(querier: Querier, endpointId: string): Promise<Usd> {
  const [sum] = await querier.query(sumOf, { endpointId })
  return sum?.usd ?? '0.0000'
}
