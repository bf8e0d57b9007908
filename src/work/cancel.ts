/** Cancels a job of any kind. Spec, "cancelRun" and "cancelRobotCheck". */
import { assertLevel } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { RequestContext, ScopeLevel, Viewer } from '../operation/context.ts'
import type { Querier, Tx } from '../store/db.ts'
import type { HeldJob } from './held-job.ts'
import type { JobKind } from './job-kind.ts'

/** How a kind of job is canceled. */
export interface CancelKind<Job extends HeldJob, Shown> {
  readonly job: JobKind
  /** The audit action is the kind's name and this word: an endpoint is stopped, other jobs are canceled. */
  readonly verb: 'cancel' | 'stop'
  readonly scope: ScopeLevel
  /** 404 for a job that the caller does not see. */
  readonly find: (ctx: RequestContext, jobId: string) => Promise<Job>
  readonly lock: (tx: Tx, jobId: string, ctx: RequestContext) => Promise<Job>
  /** The status after a cancel; throws the refusal of the state machine. */
  readonly next: (job: Job) => Job['status']
  /** Applies the change under the row lock; false if it was applied before, so that there is nothing to audit. */
  readonly apply: (ctx: RequestContext, tx: Tx, job: Job, to: Job['status']) => Promise<boolean>
  readonly read: (querier: Querier, viewer: Viewer, jobId: string) => Promise<Shown>
  /** Ends the hosted call of the job, then calls `cancel`; absent: `cancel` runs at once. */
  readonly stopFirst?: (ctx: RequestContext, job: Job, cancel: (stopped: Job) => Promise<Shown>) => Promise<Shown>
}

/**
 * Returns the job after the cancel. Everyone who sees a job may cancel it with the scope of the kind. Errors: 401, 403,
 * 404, 409 and those of the kind.
 */
export function cancelJob<Job extends HeldJob, Shown>(
  ctx: RequestContext,
  kind: CancelKind<Job, Shown>,
  jobId: string,
): Promise<Shown> {
  return guarded(
    ctx,
    async () => {
      const found = await kind.find(ctx, jobId)
      assertLevel(ctx.viewer, kind.scope)
      return found
    },
    (allowed, found) => {
      kind.next(found)
      const cancel = (expected: Job) => commitVerb(allowed, (tx) => applyCancel(allowed, tx, kind, expected))
      return kind.stopFirst ? kind.stopFirst(allowed, found, cancel) : cancel(found)
    },
  )
}

async function applyCancel<Job extends HeldJob, Shown>(
  ctx: RequestContext,
  tx: Tx,
  kind: CancelKind<Job, Shown>,
  expected: Job,
): Promise<Shown> {
  const job = await kind.lock(tx, expected.id, ctx)
  const to = kind.next(job)
  if (kind.stopFirst && job.hostedCallId !== expected.hostedCallId) throw new CallMoved()
  if (await kind.apply(ctx, tx, job, to)) {
    await audit(tx, ctx, {
      action: `${kind.job.name}.${kind.verb}`,
      accountId: job.ownerId,
      targetId: job.id,
      before: { status: job.status },
      after: { status: to },
    })
    tx.afterCommit(() => ctx.deps.events.hint(job.id))
  }
  return kind.read(tx, ctx.viewer, job.id)
}

/**
 * The job has another hosted call than the one that was ended. Nothing was changed; the other call has to be ended
 * first.
 */
export class CallMoved extends Error {}
