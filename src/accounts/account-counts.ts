/** How many jobs, live endpoints and waiting holds accounts have, for dashboards. Contract, "Reading". */
import type { RequestContext, Viewer } from '../operation/context.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'

/** Counting ends here: a dashboard says "more than 1,000", and an account of a million runs costs no more than one of a thousand. */
export const MAX_COUNTED = 1000

/** The rows of the account `key.id` in `table` that fulfil a condition, up to one more than are counted. */
const upToCap = (table: string, condition: string) =>
  column<number>(
    `(select count(*)::int from (select from ${table} u where ${condition} limit ${MAX_COUNTED + 1}) counted)`,
  )
const ofStatus = (table: string, status: string) => upToCap(table, `u.owner_id = key.id and u.status = '${status}'`)

const countColumns = columns({
  of: column<string>('key.id'),
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
  columns: countColumns,
  params: { of: param<readonly string[]>() },
  text: `select ${countColumns.sql} from unnest(:of::text[]) key(id)`,
})

/** Everything is counted, so only a caller who sees everything of the account may know: its user or members, and their keys without a limit to repos. */
const maySeeCounts = (viewer: Viewer, accountId: string): boolean =>
  viewer.kind !== 'anonymous' && !viewer.job && viewer.repoIds === null && viewer.accountIds.includes(accountId)

/** For each account its counts, or null if the caller may not see them. One statement for any number, none without a visible one. */
export async function countsOfAccounts(
  ctx: RequestContext,
  accountIds: readonly string[],
): Promise<(AccountCounts | null)[]> {
  const of = accountIds.filter((id) => maySeeCounts(ctx.viewer, id))
  const rows = of.length === 0 ? [] : await ctx.deps.db.query(counts, { of })
  const byAccount = new Map(rows.map((row) => [row.of, row]))
  return accountIds.map((id) => byAccount.get(id) ?? null)
}
