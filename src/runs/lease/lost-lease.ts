/**
 * Bars a credential that lost a run's lease. Reports do not identify the runner, so of two runners with one credential,
 * the runner that lost its lease could end the attempt of the other. The credential can claim the run again only after
 * the lost runner was notified (its stale report was rejected), or after one more lease duration. Other credentials can
 * claim the run at once.
 */
import { requireCredential } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { announceWaiting } from '../../work/waiting.ts'
import { runJob } from '../run-job.ts'

/** A report without an attempt is attributed to the runner of the last attempt. */
const ownerColumn = columns({ ownerId: column.text('owner_id') })
const liftBar = statement({
  name: 'run-bar-lift',
  columns: ownerColumn,
  params: { runId: param.text(), credentialId: param.text(), attempt: param.int4.orNull() },
  text: `update runs set barred_credential = null, barred_until = null
    where id = :runId and status = 'queued' and barred_credential = :credentialId
      and (:attempt::int is null or attempt = :attempt)
    returning ${ownerColumn.sql}`,
})

/** Rethrows why a report failed. If its attempt is stale, it records first that the runner has been notified. */
export async function noteStaleReport(
  ctx: RequestContext,
  { runId, attempt = null }: { readonly runId: string; readonly attempt?: number | null },
  error: unknown,
): Promise<never> {
  if (error instanceof HubError && error.type === 'conflict.not_claimer') await noteStale(ctx, runId, attempt)
  throw error
}

async function noteStale(ctx: RequestContext, runId: string, attempt: number | null): Promise<void> {
  const { credentialId } = requireCredential(ctx.viewer)
  await ctx.deps.db.withTx(async (tx) => {
    const [run] = await tx.query(liftBar, { runId, credentialId, attempt })
    if (run) announceWaiting(tx, ctx.deps, runJob, run.ownerId)
  })
}
