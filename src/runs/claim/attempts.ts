/** Attempts of a run: one row per claim. */
import type { Querier } from '../../store/db.ts'
import { insertInto, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'

/**
 * `reported`: the claimer ended the run. `swept`: the lease expired. `reclaimed`: the run's own hosted call claimed the
 * run again. `stopped`: the hub ended the run past its deadline.
 */
export type AttemptEnd = 'swept' | 'reported' | 'reclaimed' | 'stopped'

interface Attempt {
  readonly id: string
  readonly attempt: number
}

const ofRun = { id: param.text(), attempt: param.int4() }

const runAttemptRow = insertInto('run_attempts', {
  runId: sql(':id', { id: param.text() }),
  attempt: param.int4(),
  credential: sql(':credentialId', { credentialId: param.text() }),
  claimedBy: param.text(),
})

const begin = statement({
  name: 'run-attempt-begin',
  params: runAttemptRow.params,
  text: runAttemptRow.sql,
})

const end = statement({
  name: 'run-attempt-end',
  params: { ...ofRun, how: param.enum('RunAttemptEnd') },
  text: `update run_attempts set ended_at = now(), "end" = :how::"RunAttemptEnd"
    where run_id = :id and attempt = :attempt and ended_at is null`,
})

/** Records the start of an attempt, in the transaction of the claim. */
export async function beginAttempt(
  tx: Querier,
  run: Attempt & { readonly credentialId: string; readonly claimedBy: string },
): Promise<void> {
  await tx.query(begin, run)
}

/** Records the end of an attempt, in the transaction that ends it. */
export async function endAttempt(tx: Querier, { id, attempt }: Attempt, how: AttemptEnd): Promise<void> {
  await tx.query(end, { id, attempt, how })
}
