/** Rows that are past their retention: those that serve repeated requests, changes, hosted calls, uploads, sign-ins. */
import { CHANGES_KEPT_SECONDS } from '../accounts/changes/change-position.ts'
import { LOGIN_SECONDS } from '../accounts/device-login/device-login.ts'
import type { Deps } from '../operation/context.ts'
import { DROPPED_ROWS, type DropStatement, dropStatement, inBatches, turnOf } from './batches.ts'

const DAY = `interval '24 hours'`
/** Terminal uploads return 409 for this long, then 404. */
const UPLOAD_KEPT = `interval '30 days'`
/**
 * The row helps an operator to find a call in the backend; the effects of the call stay in the audit log and the
 * ledger.
 */
const CALL_KEPT = `interval '30 days'`

/** One statement for each kind. */
export const dropOld: readonly DropStatement[] = [
  dropStatement({
    table: 'idempotency_keys',
    which: 'old',
    where: `created_at < now() - ${DAY}`,
    order: 'created_at',
  }),
  dropStatement({
    // A day after the expiry, no client polls for the result of a login; its key and the audit entries stay.
    table: 'device_logins',
    which: 'old',
    where: `expires_at < now() - ${DAY}`,
    order: 'expires_at',
  }),
  dropStatement({
    // Anyone can start one: those without a decision are only kept for as long as a program or person may still ask
    // what became of them.
    table: 'device_logins',
    which: 'undecided',
    where: `state = 'pending' and expires_at < now() - interval '${LOGIN_SECONDS} seconds'`,
    order: 'expires_at',
  }),
  dropStatement({
    table: 'user_code_misses',
    which: 'old',
    where: `started_at < now() - ${DAY}`,
    order: 'started_at',
  }),
  dropStatement({
    table: 'sign_in_delays',
    which: 'old',
    where: `last_at < now() - ${DAY}`,
    order: 'last_at',
  }),
  dropStatement({
    table: 'link_tokens',
    which: 'old',
    where: `expires_at < now() - ${DAY}`,
    order: 'expires_at',
  }),
  dropStatement({
    table: 'spent_challenges',
    which: 'old',
    where: `expires_at < now() - ${DAY}`,
    order: 'expires_at',
  }),
  dropStatement({
    // The GPU hours of deleted runs count against the daily quota for 24 hours.
    table: 'deleted_runs',
    which: 'old',
    where: `cleared_at is not null and created_at < now() - ${DAY}`,
    order: 'created_at',
  }),
  dropStatement({
    table: 'changes',
    which: 'old',
    where: `at < now() - interval '${CHANGES_KEPT_SECONDS} seconds'`,
    order: 'at',
  }),
  dropStatement({
    table: 'hosted_calls',
    which: 'old',
    where: `state = 'ended' and ended_at < now() - ${CALL_KEPT}`,
    order: 'ended_at',
  }),
  dropStatement({
    table: 'uploads',
    which: 'old',
    where: `state in ('completed', 'aborted') and touched_at < now() - ${UPLOAD_KEPT}`,
    order: 'touched_at',
  }),
]

/**
 * Deletes old rows of each kind. A kind with a backlog has no more than its turn, so that it does not keep the others
 * from theirs; the next minute deletes more.
 */
export async function dropOldRows({ db }: Pick<Deps, 'db'>, signal: AbortSignal, turnMs?: number): Promise<void> {
  for (const drop of dropOld) {
    const turn = turnOf(signal, turnMs)
    await inBatches(turn, DROPPED_ROWS, async () => (await db.query(drop))[0]?.rows ?? 0)
  }
}
