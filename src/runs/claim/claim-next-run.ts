/** claimNextRun (contract, "Additions"): the oldest queued worker run that the caller may claim, at once or as soon as there is one. */
import { accountByHandle } from '../../auth/handle.ts'
import { assertLevel, assertNotJob, repoViewer, runListedSql } from '../../auth/policy.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, Credentialed, RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { notBarredSql } from '../lease/lost-lease.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { assertStillHeld, mayClaim, takeRun } from './claim-run.ts'
import { watchWaiting } from './waiting-runs.ts'

export interface ClaimNextRunInput {
  readonly worker: string
  /** Whole seconds to wait for work, 30 at most; 0 by default. */
  readonly waitS?: number | null
  /** Handle of the account whose runs alone count; absent: all accounts of the credential. */
  readonly owner?: string | null
}

/** So many of the oldest are looked at: those that others are claiming right now are passed over. */
const CANDIDATES = 100

/**
 * The oldest waiting run of the caller's accounts that the credential has not just lost, its row locked until the claim commits; of a limited key only what it sees. Each account's queue is
 * read in the order of an index.
 */
const idColumn = columns({ id: column<string>('u.id') })
const oldestWaiting = statement({
  name: 'run-oldest-waiting',
  columns: idColumn,
  params: { ...repoViewer, credentialId: param<string>() },
  text: `with waiting as materialized (
      select w.id from unnest(:accountIds::text[]) account(id) cross join lateral (
        select u.id from runs u where u.owner_id = account.id and u.status = 'queued' and u.executor = 'worker'
          and ${notBarredSql('u', ':credentialId')} and (:repoIds::text[] is null or u.filed_by = :credentialId or ${runListedSql('u')})
          order by u.id limit ${CANDIDATES}) w
      order by w.id limit ${CANDIDATES})
    select ${idColumn.sql} from waiting w join runs u on u.id = w.id where u.status = 'queued' order by w.id limit 1 for update of u skip locked`,
})

/** The claimed run, or null when none came within the time. Errors: 401, 403 also for an owner that is unknown or not the caller's. */
export function claimNextRun(ctx: RequestContext, input: ClaimNextRunInput): Promise<Run | null> {
  return guarded(
    ctx,
    () => mayClaimNext(ctx, input.owner ?? null),
    (allowed, credential) => takeNext(allowed, credential, input),
    async (claimed) => {
      // An empty answer is never stored.
      if (claimed) assertStillHeld(ctx, (await mayClaim(ctx, claimed.id)).run, claimed)
    },
  )
}

async function mayClaimNext(ctx: RequestContext, owner: string | null): Promise<Credentialed> {
  const credential = await ofOwner(ctx, assertLevel(ctx.viewer, 'train'), owner)
  assertNotJob(ctx.viewer, 'claim other runs')
  return credential
}

async function takeNext(ctx: AllowedContext, credential: Credentialed, input: ClaimNextRunInput): Promise<Run | null> {
  const waitMs = (input.waitS ?? 0) * 1000
  if (waitMs === 0) return takeOldest(ctx, credential, input)
  const signal = AbortSignal.any([ctx.signal, ctx.deps.stopping, AbortSignal.timeout(waitMs)])
  for await (const _hint of watchWaiting(ctx.deps, credential.accountIds, signal)) {
    const run = await takeOldest(ctx, credential, input)
    if (run) return run
  }
  return null
}

/** The credential, for work of this owner alone. */
async function ofOwner(ctx: RequestContext, credential: Credentialed, handle: string | null): Promise<Credentialed> {
  if (handle === null) return credential
  const [owner] = await ctx.deps.db.query(accountByHandle, [handle])
  if (owner && credential.accountIds.includes(owner.id)) return { ...credential, accountIds: [owner.id] }
  throw new HubError('forbidden.scope', `You are neither ${handle} nor one of its members.`)
}

async function takeOldest(
  ctx: AllowedContext,
  credential: Credentialed,
  { worker }: ClaimNextRunInput,
): Promise<Run | null> {
  const nothing = new Error('nothing to claim')
  try {
    return await commitVerb(ctx, async (tx) => {
      const { accountIds, repoIds, credentialId } = credential
      const [oldest] = await tx.query(oldestWaiting, { accountIds, repoIds, credentialId })
      if (!oldest || !(await takeRun(ctx, tx, credential, { runId: oldest.id, worker }))) throw nothing
      return readRun(tx, ctx.viewer, oldest.id)
    })
  } catch (error) {
    if (error === nothing) return null
    throw error
  }
}
