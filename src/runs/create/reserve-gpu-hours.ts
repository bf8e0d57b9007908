/** The daily quota of GPU hours, checked in the transaction that creates a priced run. */

import { gpuHourRefusal, type Reservation } from '../../billing/gpu-hours.ts'
import type { Credentialed } from '../../operation/context.ts'
import type { Querier, Statement } from '../../store/db.ts'

const reservationColumns = `max_hours::float8 as hours, extract(epoch from clock_timestamp() - created_at)::float8 as "ageS",
  filed_by = $2 as "byThisKey"`
const lately = `created_at > now() - interval '24 hours'`

/** SQL for the reservations that match a condition, including those of deleted runs. */
const reservations = (whose: string) => `select ${reservationColumns} from runs
    where ${whose} and priced and status <> 'canceled' and ${lately}
    union all select ${reservationColumns} from deleted_runs where ${whose} and reserved and ${lately}`

const ofPerson: Statement<Reservation> = {
  name: 'gpu-hours-of-person',
  text: reservations('created_by = $1'),
}

/** For keys without a creator, which the operator's command line made for an account. */
const ofAccount: Statement<Reservation> = {
  name: 'gpu-hours-of-account',
  text: reservations('created_by is null and filed_by in (select id from api_keys where account_id = $1)'),
}

/** The account whose quota the runs of a viewer count against. */
export const gpuHoursAccountId = ({ personId, account }: Credentialed): string => personId ?? account.id

/**
 * Throws 429 `quota.gpu_hours` if the run and the priced runs of the last 24 hours together exceed the quota. The caller has locked the account
 * (`gpuHoursAccountId`), and inserts the run in the same transaction.
 */
export async function assertGpuHours(
  tx: Querier,
  viewer: Credentialed,
  hours: number,
  limitHours: number,
): Promise<void> {
  const { personId, credentialId, dailyGpuHourQuota } = viewer
  const values = [gpuHoursAccountId(viewer), credentialId]
  const found = await tx.query(personId === null ? ofAccount : ofPerson, values)
  const keyLimitHours = dailyGpuHourQuota === null ? null : Number(dailyGpuHourQuota)
  const refusal = gpuHourRefusal({ hours, reservations: found, limitHours, keyLimitHours })
  if (refusal) throw refusal
}
