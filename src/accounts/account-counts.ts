/** Counts the jobs, live endpoints and pending holds of accounts, for dashboards. Contract, "Reading". */
import type { RequestContext, Viewer } from '../operation/context.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'

/**
 * The highest count: a dashboard shows "more than 1,000", and an account with a million runs costs no more to read than
 * one with a thousand.
 */
export const MAX_COUNTED = 1000

/** The number of rows of the account `key.id` in `table` that meet a condition; counting stops at `MAX_COUNTED + 1`. */
const upToCap = (table: string, condition: string) =>
  column.int4(
    `(select count(*)::int from (select from ${table} u where ${condition} limit ${MAX_COUNTED + 1}) counted)`,
  )
const ofStatus = (table: string, status: string) => upToCap(table, `u.owner_id = key.id and u.status = '${status}'`)

const countColumns = columns({
  of: column.text('key.id'),
  queuedRuns: ofStatus('runs', 'queued'),
  runningRuns: ofStatus('runs', 'running'),
  succeededRuns: ofStatus('runs', 'succeeded'),
  failedRuns: ofStatus('runs', 'failed'),
  canceledRuns: ofStatus('runs', 'canceled'),
  queuedChecks: ofStatus('robot_checks', 'queued'),
  runningChecks: ofStatus('robot_checks', 'running'),
  succeededChecks: ofStatus('robot_checks', 'succeeded'),
  failedChecks: ofStatus('robot_checks', 'failed'),
  canceledChecks: ofStatus('robot_checks', 'canceled'),
  queuedEndpoints: ofStatus('endpoints', 'queued'),
  runningEndpoints: ofStatus('endpoints', 'running'),
  pendingHolds: upToCap('spend_holds', "u.account_id = key.id and u.status = 'pending' and u.expires_at > now()"),
})

/** Counts of one account; each is at most one above `MAX_COUNTED`. */
export type AccountCounts = RowOf<typeof countColumns>

const counts = statement({
  name: 'account-counts',
  exact: 'per-parent',
  columns: countColumns,
  params: { of: param.texts() },
  text: `select ${countColumns.sql} from unnest(:of::text[]) key(id)`,
})

/**
 * The counts include everything, so only a caller who sees the whole account may read them: its user or members, and
 * their keys that are not limited to repos.
 */
const maySeeCounts = (viewer: Viewer, accountId: string): boolean =>
  viewer.kind !== 'anonymous' && !viewer.job && viewer.repoIds === null && viewer.accountIds.includes(accountId)

/**
 * The counts of each account, or null if the caller may not see them. One statement for any number of accounts; none if
 * no account is visible.
 */
export async function countsOfAccounts(
  ctx: RequestContext,
  accountIds: readonly string[],
): Promise<(AccountCounts | null)[]> {
  const of = accountIds.filter((id) => maySeeCounts(ctx.viewer, id))
  const rows = of.length === 0 ? [] : await ctx.deps.db.query(counts, { of })
  const byAccount = new Map(rows.map((row) => [row.of, row]))
  return accountIds.map((id) => byAccount.get(id) ?? null)
}
