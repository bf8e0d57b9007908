/**
 * Creating a job of any kind, or the spend hold that an agent's key gets instead: guard, prepare, then in one
 * transaction lock, decide again, reserve, insert, record and offer. A kind says what it locks, what it costs and which
 * rows it has. Spec, "POST /v1/runs", "POST /v1/robot-checks", "POST /v1/endpoints".
 */
import { newId } from '@hub/formats/ids'
import { requireCredential } from '../auth/policy.ts'
import type { Approval } from '../billing/holds/approval.ts'
import { fileHold, type HeldRequest } from '../billing/holds/file-hold.ts'
import { assertMadeVisible } from '../billing/holds/get-hold.ts'
import type { SpendHold } from '../billing/holds/hold-shape.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { Credentialed, RequestContext, ScopeLevel, Viewer } from '../operation/context.ts'
import type { Usd } from '../platform/money.ts'
import type { Querier, Tx } from '../store/db.ts'
import type { JobExecutor } from './held-job.ts'
import type { JobKind } from './job-kind.ts'
import { countStored } from './job-objects.ts'
import { offerJob } from './waiting.ts'

/** A new job in the transaction that creates it. `prepared`: the validated request; `locked`: what `lock` returned. */
export interface JobToMake<Prepared, Locked> {
  readonly id: string
  readonly viewer: Credentialed
  readonly prepared: Prepared
  readonly locked: Locked
}

/** What was inserted. */
export interface MadeJob {
  readonly ownerId: string
  readonly executor: JobExecutor
  /** The values that the audit entry shows. */
  readonly audited: Readonly<Record<string, unknown>>
  /** Bytes of its row that count in its owner's storage. */
  readonly keptBytes?: number
}

/**
 * How a kind of job is created. Lock order of the transaction: repos and jobs (`lock`), holds, accounts (`reserve`).
 */
export interface CreateKind<Request, Grant, Prepared, Locked, Place, Made extends { readonly id: string }> {
  readonly job: JobKind
  /** The scope that the create needs. */
  readonly scope: ScopeLevel
  /** Who can make it, and for whom. Errors: 401, 403, 404. */
  readonly mayMake: (ctx: RequestContext, request: Request) => Promise<Grant>
  /**
   * Validates the request outside of the transaction. `isApproved` lifts the limit of an agent's key. Writes nothing.
   */
  readonly prepare: (
    ctx: RequestContext,
    grant: Grant,
    request: Request,
    isApproved: boolean,
  ) => Prepared | Promise<Prepared>
  /**
   * Locks what the request names, first in the transaction, and decides again what may have changed since `prepare`.
   */
  readonly lock: (ctx: RequestContext, tx: Tx, viewer: Credentialed, prepared: Prepared) => Promise<Locked>
  /** The most that the job can cost: an approval is for a price that its person has seen. */
  readonly mostUsd: (ctx: RequestContext, tx: Tx, prepared: Prepared, locked: Locked) => Usd | Promise<Usd>
  /**
   * Checks quotas and reserves what the job can cost; or returns the request that an agent's key has to have approved
   * first.
   */
  readonly reserve: (
    ctx: RequestContext,
    tx: Tx,
    job: JobToMake<Prepared, Locked>,
    isApproved: boolean,
  ) => Promise<{ readonly held: HeldRequest } | { readonly place: Place }>
  /** Inserts the queued job, with its references to repos. `place`: where it executes, from `reserve`. */
  readonly insert: (tx: Tx, job: JobToMake<Prepared, Locked> & { readonly place: Place }) => Promise<MadeJob>
  /** 404 for a job that the caller does not see. */
  readonly find: (ctx: RequestContext, jobId: string) => Promise<unknown>
  readonly read: (querier: Querier, viewer: Viewer, jobId: string) => Promise<Made>
  /** The request that a hold records; throws for a record that is none of this kind. */
  readonly ofRecord: (record: unknown) => Request
}

/**
 * Returns the job, or the hold of an agent's. A job that is refused or held has no row. Errors: those of the kind, 429
 * `quota.spend_holds`.
 */
export function createJob<Request, Grant, Prepared, Locked, Place, Made extends { readonly id: string }>(
  ctx: RequestContext,
  kind: CreateKind<Request, Grant, Prepared, Locked, Place, Made>,
  request: Request,
): Promise<Made | SpendHold> {
  return guarded(
    ctx,
    () => kind.mayMake(ctx, request),
    async (allowed, grant) => {
      const prepared = await kind.prepare(allowed, grant as Grant, request, false)
      return commitVerb(allowed, (tx) => makeJob(allowed, tx, kind, { prepared, approval: null }))
    },
    (made) => assertMadeVisible(ctx, made, (id) => kind.find(ctx, id)),
  )
}

/**
 * Prepares the recorded request of a hold, as the viewer of `ctx`; the result makes its job in a transaction. Throws
 * what the create throws.
 */
export async function prepareRecorded<Request, Grant, Prepared, Locked, Place, Made extends { readonly id: string }>(
  ctx: RequestContext,
  kind: CreateKind<Request, Grant, Prepared, Locked, Place, Made>,
  record: unknown,
): Promise<(tx: Tx, approval: Approval) => Promise<unknown>> {
  const request = kind.ofRecord(record)
  const prepared = await kind.prepare(ctx, await kind.mayMake(ctx, request), request, true)
  return (tx, approval) => makeJob(ctx, tx, kind, { prepared, approval })
}

/** `approval` is that of the request's hold; null for a request without a hold. */
async function makeJob<Request, Grant, Prepared, Locked, Place, Made extends { readonly id: string }>(
  ctx: RequestContext,
  tx: Tx,
  kind: CreateKind<Request, Grant, Prepared, Locked, Place, Made>,
  { prepared, approval }: { readonly prepared: Prepared; readonly approval: Approval | null },
): Promise<Made | SpendHold> {
  const viewer = requireCredential(ctx.viewer)
  const locked = await kind.lock(ctx, tx, viewer, prepared)
  const id = newId(kind.job.idPrefix)
  const job = { id, viewer, prepared, locked }
  if (approval) await approval.take(tx, { jobId: id, mostUsd: await kind.mostUsd(ctx, tx, prepared, locked) })
  const reserved = await kind.reserve(ctx, tx, job, approval !== null)
  if ('held' in reserved) return fileHold(ctx, tx, reserved.held)
  const made = await kind.insert(tx, { ...job, place: reserved.place })
  await recordCreate(ctx, tx, kind.job, { id, ...made })
  await offerJob(tx, ctx.deps, kind.job, { id, ...made })
  return kind.read(tx, viewer, id)
}

/**
 * The audit entry of a new job and what it counts in its owner's storage, in the transaction that inserts it. 413
 * `quota.storage`.
 */
export async function recordCreate(
  ctx: RequestContext,
  tx: Tx,
  job: JobKind,
  { id, ownerId, audited, keptBytes = 0 }: MadeJob & { readonly id: string },
): Promise<void> {
  await audit(tx, ctx, { action: `${job.name}.create`, accountId: ownerId, targetId: id, after: audited })
  await countStored(tx, ctx.deps.config, job, { id, ownerId, bytes: keptBytes })
}
