/**
 * claimRun (spec, "POST /v1/runs/{run_id}/claim"): exactly one of many claims gets a queued run; a hosted run's own
 * call can claim it again.
 */

import { assertRunsFor, requireCredential } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { Credentialed, RequestContext } from '../../operation/context.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { claimJob, claimParams, claimSql } from '../../work/claim.ts'
import { endOpenLine } from '../../work/log/write-chunks.ts'
import { filesOfStep } from '../checkpoints/checkpoints.ts'
import { dropAttempt } from '../lease/drop-attempt.ts'
import { runLog } from '../log/run-log.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { runJob } from '../run-job.ts'
import { findRun, type HeldRun, lockRun, nextStatus, type RunActor, runFacts } from '../run-row.ts'
import { decideRun } from '../run-state.ts'
import { beginAttempt, endAttempt } from './attempts.ts'

export interface ClaimRunInput {
  readonly runId: string
  /** Name of the runner. */
  readonly worker: string
  readonly hostedCallId?: string | null
  /** For a re-claim: the published step from which the template resumes; absent: from the beginning. */
  readonly resumeStep?: number | null
}

const attemptColumn = columns({ attempt: column.int4('attempt') })

/** `claimed_at` and `started_at` stay: billing continues. */
const claimAgain = statement({
  name: 'run-reclaim',
  columns: attemptColumn,
  params: { ...claimParams, hostedCallId: param.text.orNull(), attempt: param.int4() },
  text: `update runs set ${claimSql(runJob)} where id = :jobId and status = 'running' and executor = 'hosted'
    and claim_credential = :credentialId
    and hosted_credential = :credentialId and hosted_call_id = :hostedCallId and attempt = :attempt
    returning ${attemptColumn.sql}`,
})

/** Files of one step in the run's output repo. */
const pathColumn = columns({ path: column.text('f.path') })
const publishedStep = statement({
  name: 'run-published-step',
  exact: 'in-transaction',
  columns: pathColumn,
  params: { runId: param.text(), pattern: param.text() },
  text: `select ${pathColumn.sql} from runs u join files f on f.repo_id = u.output_repo_id and f.to_seq is null
    where u.id = :runId and f.path like 'checkpoints/step\\_%' and f.path ~ :pattern limit 1`,
})

/**
 * Returns the claimed run. Errors: 401, 403 if the caller is not of the billed account, 404, 409
 * `conflict.already_claimed` naming the holder, `conflict.terminal`, `conflict.wrong_kind` if the run is hosted and the
 * credential is not that of its call, `conflict.lease_lost` with the time from which the credential may claim, 422 for
 * a step that the run has not published, and for `hostedCallId` or `resumeStep` on a worker run.
 */
export function claimRun(ctx: RequestContext, input: ClaimRunInput): Promise<Run> {
  return guarded(
    ctx,
    () => mayClaim(ctx, input.runId),
    (allowed, { run, credential }) =>
      commitVerb(allowed, async (tx) => {
        const taken = fits(run, input) && (await takeRun(allowed, tx, credential, input))
        if (!taken) await takeAgain(allowed, tx, credential, input)
        return readRun(tx, allowed.viewer, input.runId)
      }),
    async (claimedRun, { run }) => assertStillHeld(ctx, run, claimedRun),
  )
}

/** The current run, and the credential that may claim it. Errors: 404, 401, 403. */
export async function mayClaim(
  ctx: RequestContext,
  runId: string,
): Promise<{ run: HeldRun; credential: Credentialed }> {
  const run = await findRun(ctx, runId)
  return { run, credential: assertRunsFor(ctx.viewer, run.ownerId) }
}

/**
 * Rejects the replay of a claim whose attempt has ended, because a runner that reads a claim starts to work. Errors:
 * 409 `conflict.not_claimer`, `conflict.terminal`.
 */
export function assertStillHeld(ctx: RequestContext, run: HeldRun, { attempt }: Pick<Run, 'attempt'>): void {
  const { credentialId } = requireCredential(ctx.viewer)
  nextStatus('report', run, { credentialId, attempt })
}

/**
 * Whether the input fits the run's executor: a worker run takes neither hosted member, a hosted run only the id of its
 * own call. A new call has a new key, which the compare-and-set checks.
 */
function fits(run: HeldRun, { hostedCallId = null, resumeStep = null }: ClaimRunInput): boolean {
  if (run.executor === 'worker') return hostedCallId === null && resumeStep === null
  return hostedCallId !== null && hostedCallId === run.hostedCallId
}

/** Claims a queued run in the caller's transaction; false if the run cannot be claimed. */
export async function takeRun(
  ctx: RequestContext,
  tx: Tx,
  { credentialId }: Credentialed,
  { runId, worker, hostedCallId = null }: ClaimRunInput,
): Promise<boolean> {
  const { leaseSeconds } = ctx.deps.config.runs
  const audited = hostedCallId === null ? {} : { hostedCallId }
  const taken = await claimJob(ctx, tx, runJob, { jobId: runId, worker, credentialId, leaseSeconds, audited })
  if (!taken) return false
  await beginAttempt(tx, { id: runId, attempt: taken.attempt, credentialId, claimedBy: worker })
  return true
}

/** Re-claims a running hosted run for its own call, or refuses. */
async function takeAgain(ctx: RequestContext, tx: Tx, credential: Credentialed, input: ClaimRunInput): Promise<void> {
  const run = await lockRun(tx, input.runId)
  const { hostedCallId = null, resumeStep = null } = input
  const actor: RunActor = { credentialId: credential.credentialId, hostedCallId, resumeStep }
  const facts = runFacts(run, actor)
  if (!('to' in decideRun('reclaim', facts))) {
    if (facts.status === 'queued' && facts.executor === 'worker' && facts.namesHostedCall) throw hostedMembers(input)
    nextStatus('claim', run, actor)
    // Another request put the run back to the queue after the compare-and-set.
    throw new HubError('conflict.in_progress', 'The run is being moved by another request right now; try again.')
  }
  await assertPublished(tx, run.id, input.resumeStep ?? null)
  const { leaseSeconds } = ctx.deps.config.runs
  const { credentialId } = credential
  const claim = { jobId: run.id, worker: input.worker, credentialId, leaseSeconds }
  const [taken] = await tx.query(claimAgain, { ...claim, hostedCallId, attempt: run.attempt })
  if (!taken) throw new Error('The run moved while its row was locked.')
  await endAttempt(tx, run, 'reclaimed')
  await beginAttempt(tx, { id: run.id, attempt: taken.attempt, credentialId, claimedBy: input.worker })
  await dropAttempt(ctx.deps, tx, run.id, input.resumeStep ?? null)
  await endOpenLine(tx, runLog, run.id)
  await auditReclaim(ctx, tx, run, { ...input, attempt: taken.attempt })
}

/**
 * 422 with one item for each hosted-only member. If the hub ignored the member, the caller would believe that it took
 * effect.
 */
function hostedMembers({ hostedCallId, resumeStep }: ClaimRunInput): HubError {
  const given = [...(hostedCallId == null ? [] : ['hostedCallId']), ...(resumeStep == null ? [] : ['resumeStep'])]
  const items = given.map((member) => ({
    type: 'validation.value',
    detail: 'is for the call of a hosted run; leave it out to claim a worker run',
    loc: [member],
  }))
  return new HubError('validation.failed', items.map(({ loc, detail }) => `${loc.join('.')}: ${detail}`).join('; '), {
    items,
  })
}

async function auditReclaim(
  ctx: RequestContext,
  tx: Tx,
  run: HeldRun,
  { worker, attempt, resumeStep = null }: ClaimRunInput & { readonly attempt: number },
): Promise<void> {
  await audit(tx, ctx, {
    action: 'run.reclaim',
    accountId: run.ownerId,
    targetId: run.id,
    before: { worker: run.claimedBy, attempt: run.attempt },
    after: { worker, attempt, resumeStep },
  })
  tx.afterCommit(() => ctx.deps.events.hint(run.id))
}

async function assertPublished(tx: Tx, runId: string, step: number | null): Promise<void> {
  if (step === null) return
  const [file] = await tx.query(publishedStep, { runId, pattern: filesOfStep(step) })
  if (!file) throw invalid('validation.value', `The run has published no checkpoint at step ${step}.`, ['resumeStep'])
}
