/** The columns of a check that decide its state changes, and its row lock. Lock order: repos, checks, accounts. */

import { isId } from '@hub/formats/ids'
import { requireCredential, runViewer, runVisibleSql, visibleRuns } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import type { Usd } from '../platform/money.ts'
import { column, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { numbers } from '../store/read-json.ts'
import { param, statement } from '../store/statement.ts'
import { heldJobColumns, isClaimer, isOwnKey, type JobActor } from '../work/held-job.ts'
import { type JobStatus, refused } from '../work/job-state.ts'
import { deadlineSqlOf, isDeadlineOver } from '../work/limits.ts'
import { logEndColumns } from '../work/log/write-chunks.ts'
import { type CheckTrigger, decideCheck } from './check-state.ts'

export const rowColumns = heldJobColumns.with({
  status: column.enum('JobStatus', 'u.status'),
  executor: column.enum('RunExecutor', 'u.executor'),
  kind: column.enum('RobotCheckKind', 'u.kind'),
  entry: column.text.orNull('u.entry'),
  robotRepoId: column.text.orNull('u.robot_repo_id'),
  robotRepoName: column.text.orNull('u.robot_repo_name'),
  modelRepoId: column.text.orNull('u.model_repo_id'),
  modelRepoName: column.text.orNull('u.model_repo_name'),
  sourceRepoId: column.text.orNull('u.source_repo_id'),
  priced: column.bool('u.priced'),
  rateUsdPerHour: column.numeric.orNull<Usd>('u.rate_usd_per_hour'),
  maxSeconds: column.int4.orNull('u.max_seconds'),
  /** When a running hosted check reaches its time limit; null for any other check. */
  deadlineAt: column.timestamptz.orNull(deadlineSqlOf('u.max_seconds')),
  ...logEndColumns,
  logTail: column.text('u.log_tail'),
  clientLogSeq: column.int8.orNull('u.client_log_seq'),
  clientLogGaps: column.json("coalesce(to_json(u.client_log_gaps), '[]')", numbers),
  /** The database's clock, which all decisions about time use. */
  now: column.timestamptz('now()'),
})

export type HeldCheck = RowOf<typeof rowColumns>

const visibleById = statement({
  name: 'robot-check-facts-visible',
  exact: 'each-request',
  columns: rowColumns,
  params: { ...runViewer, checkId: param.text() },
  text: `select ${rowColumns.sql} from robot_checks u where u.id = :checkId and ${runVisibleSql('u')}`,
})

const lockById = statement({
  name: 'robot-check-lock',
  columns: rowColumns,
  params: { id: param.text() },
  text: `select ${rowColumns.sql} from robot_checks u where u.id = :id for update`,
})

/** The check with this id; 404 if the caller may not see it. */
export async function findCheck(ctx: RequestContext, id: string): Promise<HeldCheck> {
  const values = { ...visibleRuns(ctx.viewer), checkId: id }
  const [check] = isId('check', id) ? await ctx.deps.db.query(visibleById, values) : []
  if (!check) throw notFound(`The check ${id.slice(0, 64)}`)
  return check
}

/** Locks the check's row until the transaction ends, and returns its current values. */
export async function lockCheck(tx: Querier, id: string): Promise<HeldCheck> {
  const [check] = await tx.query(lockById, { id })
  if (!check) throw notFound(`The check ${id}`)
  return check
}

/**
 * The status that follows from `trigger`. Throws the refusal of the state machine; for a claimed check it names the
 * holder.
 */
export function nextStatus(trigger: CheckTrigger, check: HeldCheck, actor: JobActor): JobStatus {
  const facts = {
    ...check,
    isClaimer: isClaimer(check, actor),
    isOwnKey: isOwnKey(check, actor),
    deadlineOver: isDeadlineOver(check),
  }
  const verdict = decideCheck(trigger, facts)
  if ('to' in verdict) return verdict.to
  throw refused(check, verdict.refusal)
}

/**
 * 409 unless the caller holds the running check. It also guards the replay of responses that only the holder can use.
 */
export function assertHolds({ viewer }: Pick<RequestContext, 'viewer'>, check: HeldCheck): void {
  nextStatus('report', check, requireCredential(viewer))
}
