/** Who held a run when: one row a claim. */
import type { Querier, Statement } from '../../store/db.ts'

/** `reported`: the claimer ended the run. `swept`: its lease ran out. `reclaimed`: its own call claimed it again. `stopped`: the hub ended it past its deadline. */
export type AttemptEnd = 'swept' | 'reported' | 'reclaimed' | 'stopped'

const begin: Statement<never> = {
  name: 'run-attempt-begin',
  text: 'insert into run_attempts (run_id, attempt, credential, claimed_by) values ($1, $2, $3, $4)',
}

const end: Statement<never> = {
  name: 'run-attempt-end',
  text: `update run_attempts set ended_at = now(), "end" = $3::"RunAttemptEnd" where run_id = $1 and attempt = $2 and ended_at is null`,
}

/** Notes that a claim begins, in the transaction that makes it. */
export async function beginAttempt(
  tx: Querier,
  run: { readonly id: string; readonly attempt: number; readonly credentialId: string; readonly claimedBy: string },
): Promise<void> {
  await tx.query(begin, [run.id, run.attempt, run.credentialId, run.claimedBy])
}

/** Notes how a claim ended, in the transaction that ends it. */
export async function endAttempt(
  tx: Querier,
  run: { readonly id: string; readonly attempt: number },
  how: AttemptEnd,
): Promise<void> {
  await tx.query(end, [run.id, run.attempt, how])
}
