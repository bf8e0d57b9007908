/**
 * A credential that lost a run's lease. Reports name no runner, so of two runners with one credential the lost one could end what the other does: the credential
 * claims that run again only once the lost runner was told (its stale report was refused), or one more lease has gone by. Others take it at once.
 */
import { requireCredential } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import type { Statement } from '../../store/db.ts'
import { announceWaiting } from '../../work/waiting.ts'
import { runJob } from '../run-job.ts'

/** Of a report that names no attempt it is taken that the runner of the last one sent it. */
const liftBar: Statement<{ ownerId: string }> = {
  name: 'run-bar-lift',
  text: `update runs set barred_credential = null, barred_until = null
    where id = $1 and status = 'queued' and barred_credential = $2 and ($3::int is null or attempt = $3) returning owner_id as "ownerId"`,
}

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
    const [run] = await tx.query(liftBar, [runId, credentialId, attempt])
    if (run) announceWaiting(tx, ctx.deps, runJob, run.ownerId)
  })
}
