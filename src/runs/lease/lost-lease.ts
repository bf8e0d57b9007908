/**
 * A credential that lost a run's lease. Reports name no runner, so of two runners with one credential the lost one could end what the other does: the credential
 * claims that run again only once the lost runner was told (its stale report was refused), or one more lease has gone by. Others take it at once.
 */
import { requireCredential } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { announceWaiting } from '../../work/waiting.ts'
import { runJob } from '../run-job.ts'

/** Of a report that names no attempt it is taken that the runner of the last one sent it. */
const ownerColumn = columns({ ownerId: column<string>('owner_id') })
const liftBar = statement({
  name: 'run-bar-lift',
  columns: ownerColumn,
  params: { runId: param<string>(), credentialId: param<string>(), attempt: param<number | null>() },
  text: `update runs set barred_credential = null, barred_until = null
    where id = :runId and status = 'queued' and barred_credential = :credentialId and (:attempt::int is null or attempt = :attempt)
    returning ${ownerColumn.sql}`,
})

/** Runs what a runner reports; where it is refused because another attempt is under way or none, the runner knows by now, which is noted before it is told. */
export async function orToldOff<T>(
  ctx: RequestContext,
  { runId, attempt = null }: { readonly runId: string; readonly attempt?: number | null },
  report: () => Promise<T>,
): Promise<T> {
  try {
    return await report()
  } catch (error) {
    if (error instanceof HubError && error.type === 'conflict.not_claimer') await noteStale(ctx, runId, attempt)
    throw error
  }
}

async function noteStale(ctx: RequestContext, runId: string, attempt: number | null): Promise<void> {
  const { credentialId } = requireCredential(ctx.viewer)
  await ctx.deps.db.withTx(async (tx) => {
    const [run] = await tx.query(liftBar, { runId, credentialId, attempt })
    if (run) announceWaiting(tx, ctx.deps, runJob, run.ownerId)
  })
}
