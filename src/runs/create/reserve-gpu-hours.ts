/** The daily quota of GPU hours, checked in the transaction that creates a priced run. */

import { gpuHourRefusal } from '../../billing/gpu-hours.ts'
import type { Credentialed } from '../../operation/context.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'

const reservationColumns = columns({
  hours: column.float8('max_hours::float8'),
  ageS: column.float8('extract(epoch from clock_timestamp() - created_at)::float8'),
  byThisKey: column.bool('filed_by = :credentialId'),
})
const lately = `created_at > now() - interval '24 hours'`

/** SQL for the reservations that match a condition, including those of deleted runs. */
const reservations = (whose: string) => `select ${reservationColumns.sql} from runs
    where ${whose} and priced and status <> 'canceled' and ${lately}
    union all select ${reservationColumns.sql} from deleted_runs where ${whose} and reserved and ${lately}`

const params = { accountId: param.text(), credentialId: param.text() }

const ofPerson = statement({
  name: 'gpu-hours-of-person',
  exact: 'aggregate',
  columns: reservationColumns,
  params,
  text: reservations('created_by = :accountId'),
})

/** For keys without a creator, which the operator's command line made for an account. */
const ofAccount = statement({
  name: 'gpu-hours-of-account',
  exact: 'aggregate',
  columns: reservationColumns,
  params,
  text: reservations('created_by is null and filed_by in (select id from api_keys where account_id = :accountId)'),
})

/** The account whose quota the runs of a viewer count against. */
export const gpuHoursAccountId = ({ personId, account }: Credentialed): string => personId ?? account.id

/**
 * Throws 429 `quota.gpu_hours` if the run and the priced runs of the last 24 hours together exceed the quota. The
 * caller has locked the account (`gpuHoursAccountId`), and inserts the run in the same transaction.
 */
export async function assertGpuHours(
  tx: Querier,
  viewer: Credentialed,
  hours: number,
  limitHours: number,
): Promise<void> {
  const { personId, credentialId, dailyGpuHourQuota } = viewer
  const values = { accountId: gpuHoursAccountId(viewer), credentialId }
  const found = await tx.query(personId === null ? ofAccount : ofPerson, values)
  const keyLimitHours = dailyGpuHourQuota === null ? null : Number(dailyGpuHourQuota)
  const refusal = gpuHourRefusal({ hours, reservations: found, limitHours, keyLimitHours })
  if (refusal) throw refusal
}
