/** claimRun (spec, "POST /v1/runs/{run_id}/claim"): exactly one of many takes a queued run; a hosted run's own call takes it up again. */

import { assertRunsFor, requireCredential } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { Credentialed, RequestContext } from '../../operation/context.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import type { Statement, Tx } from '../../store/db.ts'
import { filesOfStep } from '../checkpoints/checkpoints.ts'
import { dropAttempt } from '../lease/drop-attempt.ts'
import { notBarredSql } from '../lease/lost-lease.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { findRun, type HeldRun, lockRun, nextStatus, type RunActor, runFacts } from '../run-row.ts'
import { decideRun } from '../run-state.ts'
import { beginAttempt, endAttempt } from './attempts.ts'

export interface ClaimRunInput {
  readonly runId: string
  /** The runner's name for itself. */
  readonly worker: string
  readonly hostedCallId?: string | null
  /** Of a re-claim: the published step where the template restarts; absent, from the beginning. */
  readonly resumeStep?: number | null
}

/** What a claim writes. */
const claimed = `status = 'running', attempt = attempt + 1, claimed_by = $2, claim_credential = $3, heartbeat_at = now(),
  lease_expires_at = now() + make_interval(secs => $4), updated_at = now()`

/** The compare-and-set, `claim` of the table of states in one row: of any number at once, one gets it. */
const claimQueued: Statement<{ attempt: number; ownerId: string }> = {
  name: 'run-claim',
  text: `update runs set ${claimed}, claimed_at = now(), started_at = now()
    where id = $1 and status = 'queued' and ${notBarredSql('runs', '$3')}
      and (executor = 'worker' and $5::text is null and $6::bigint is null
        or executor = 'hosted' and hosted_call_id = $5 and hosted_credential = $3)
    returning attempt, owner_id as "ownerId"`,
}

/** `claimed_at` and `started_at` stay: the bill goes on. */
const claimAgain: Statement<{ attempt: number }> = {
  name: 'run-reclaim',
  text: `update runs set ${claimed} where id = $1 and status = 'running' and executor = 'hosted' and claim_credential = $3
    and hosted_credential = $3 and hosted_call_id = $5 and attempt = $6 returning attempt`,
}

/** Files of one step in the run's output repo. */
const publishedStep: Statement<{ path: string }> = {
  name: 'run-published-step',
  text: `select f.path from runs u join files f on f.repo_id = u.output_repo_id and f.to_seq is null
    where u.id = $1 and f.path like 'checkpoints/step\\_%' and f.path ~ $2 limit 1`,
}

/**
 * The claimed run. Errors: 401, 403 not of the account that is billed, 404, 409 `conflict.already_claimed` naming the holder, `conflict.terminal`,
 * `conflict.wrong_kind` for a run that a hosted call executes and another credential claims, `conflict.lease_lost` with until when, 422 a step that the run has
 * not published, and what only a hosted call says of a worker run.
 */
export function claimRun(ctx: RequestContext, input: ClaimRunInput): Promise<Run> {
  return guarded(
    ctx,
    () => mayClaim(ctx, input.runId),
    (allowed, { credential }) =>
      commitVerb(allowed, async (tx) => {
        if (!(await takeRun(allowed, tx, credential, input))) await takeAgain(allowed, tx, credential, input)
        return readRun(tx, allowed.viewer, input.runId)
      }),
    async (claimedRun, { run }) => assertStillHeld(ctx, run, claimedRun),
  )
}

/** The run as it is now, and the credential that may claim it: 404, 401, 403. */
export async function mayClaim(
  ctx: RequestContext,
  runId: string,
): Promise<{ run: HeldRun; credential: Credentialed }> {
  const run = await findRun(ctx, runId)
  return { run, credential: assertRunsFor(ctx.viewer, run.ownerId) }
}

/** A claim is answered again only while its attempt lasts: a runner that reads it goes to work. 409 `conflict.not_claimer`, `conflict.terminal`. */
export function assertStillHeld(ctx: RequestContext, run: HeldRun, { attempt }: Pick<Run, 'attempt'>): void {
  const { credentialId } = requireCredential(ctx.viewer)
  nextStatus('report', run, { credentialId, attempt })
}

/** Claims a queued run in the caller's transaction; false when it is not there to be claimed. */
export async function takeRun(
  ctx: RequestContext,
  tx: Tx,
  { credentialId }: Credentialed,
  input: ClaimRunInput,
): Promise<boolean> {
  const { runId, worker, hostedCallId = null, resumeStep = null } = input
  const { leaseSeconds } = ctx.deps.config.runs
  const [taken] = await tx.query(claimQueued, [runId, worker, credentialId, leaseSeconds, hostedCallId, resumeStep])
  if (!taken) return false
  await beginAttempt(tx, { id: runId, attempt: taken.attempt, credentialId, claimedBy: worker })
  const after = { worker, attempt: taken.attempt, ...(hostedCallId === null ? {} : { hostedCallId }) }
  await audit(tx, ctx, { action: 'run.claim', accountId: taken.ownerId, targetId: runId, after })
  tx.afterCommit(() => ctx.deps.events.hint(runId))
  return true
}

/** Re-claims a running hosted run for its own call, or refuses. */
async function takeAgain(ctx: RequestContext, tx: Tx, credential: Credentialed, input: ClaimRunInput): Promise<void> {
  const run = await lockRun(tx, input.runId)
  const { hostedCallId = null, resumeStep = null } = input
  const actor: RunActor = { credentialId: credential.credentialId, hostedCallId, resumeStep }
  const facts = runFacts(run, actor)
  if (!('to' in decideRun('reclaim', facts))) {
    if (facts.status === 'queued' && facts.executor === 'worker' && facts.saysHosted) throw hostedMembers(input)
    nextStatus('claim', run, actor)
    // It was put back to the queue since the compare-and-set looked.
    throw new HubError('conflict.in_progress', 'The run is being moved by another request right now; try again.')
  }
  await assertPublished(tx, run.id, input.resumeStep ?? null)
  const { leaseSeconds } = ctx.deps.config.runs
  const call = input.hostedCallId ?? null
  const [taken] = await tx.query(claimAgain, [
    run.id,
    input.worker,
    credential.credentialId,
    leaseSeconds,
    call,
    run.attempt,
  ])
  if (!taken) throw new Error('The run moved while its row was locked.')
  await endAttempt(tx, run, 'reclaimed')
  await beginAttempt(tx, {
    id: run.id,
    attempt: taken.attempt,
    credentialId: credential.credentialId,
    claimedBy: input.worker,
  })
  await dropAttempt(ctx.deps, tx, run.id, input.resumeStep ?? null)
  await auditReclaim(ctx, tx, run, input, taken.attempt)
}

/** 422 with a place for each member that a worker run is not claimed with: ignored, it would seem to count. */
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
  input: ClaimRunInput,
  attempt: number,
): Promise<void> {
  await audit(tx, ctx, {
    action: 'run.reclaim',
    accountId: run.ownerId,
    targetId: run.id,
    before: { worker: run.claimedBy, attempt: run.attempt },
    after: { worker: input.worker, attempt, resumeStep: input.resumeStep ?? null },
  })
  tx.afterCommit(() => ctx.deps.events.hint(run.id))
}

async function assertPublished(tx: Tx, runId: string, step: number | null): Promise<void> {
  if (step === null) return
  const [file] = await tx.query(publishedStep, [runId, filesOfStep(step)])
  if (!file) throw invalid('validation.value', `The run has published no checkpoint at step ${step}.`, ['resumeStep'])
}
