/**
 * The number of checks that an account may make in 24 hours, over all keys and sessions. Spec, "Robot checks";
 * contract, `ROBOT_CHECK_DAILY_QUOTA`.
 */
import { HubError } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'

const WINDOW_S = 86_400

const counted = columns({
  used: column.int4('count(*)::int'),
  /** Age in seconds of the oldest check that must leave the window before there is room. */
  ageS: column.float8.orNull('max(recent.age_s)'),
})

const lately = statement({
  name: 'robot-check-quota-used',
  exact: 'in-transaction',
  columns: counted,
  params: { accountId: param.text(), limit: param.int4() },
  text: `select ${counted.sql} from (
      select extract(epoch from clock_timestamp() - u.created_at)::float8 as age_s from robot_checks u
      where u.quota_account_id = :accountId and u.created_at > now() - interval '24 hours' order by u.created_at desc
        limit :limit::int) recent`,
})

/**
 * Throws 429 `quota.robot_checks` with its numbers if the account has reached its quota. The caller has locked the
 * account, and inserts the new check in the same transaction.
 */
export async function assertDailyQuota(tx: Querier, accountId: string, limit: number): Promise<void> {
  const [found] = await tx.query(lately, { accountId, limit })
  const refusal = quotaRefusal(found?.used ?? 0, limit, found?.ageS ?? 0)
  if (refusal) throw refusal
}

/**
 * Null if one more check fits. `oldestAgeS` is the age of the oldest of the newest `limit` checks: when it leaves the
 * window, there is room. Pure.
 */
export function quotaRefusal(used: number, limit: number, oldestAgeS: number): HubError | null {
  if (used < limit) return null
  const detail = `The account may make ${limit} checks in 24 hours, and has.`
  return new HubError('quota.robot_checks', detail, { facts: { limit, used, retryAfterS: WINDOW_S - oldestAgeS } })
}
