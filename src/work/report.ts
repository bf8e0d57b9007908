/**
 * Reporting on a job of any kind: guard, judge, write the objects, then in one transaction lock, judge again, apply,
 * hint. A kind says how its reports are judged and applied. Spec, "POST /v1/runs/{run_id}/report" and those of checks
 * and endpoints; contract, "Reports".
 */
import { requireCredential } from '../auth/policy.ts'
import { asQuotaRefusal, assertRoom, fitSurely, type HeldBytes, madeRoom } from '../files/reservation.ts'
import { commitAndShow, commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext, Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import type { Querier, Tx } from '../store/db.ts'
import { type HeldJob, isClaimer, type JobActor } from './held-job.ts'
import { deleteAfterCommit, forgetRefused, type JobObjectKind, putJobObject } from './job-objects.ts'
import type { SweepDeps } from './sweep.ts'

/** The members of every report. */
export interface ReportInput {
  /**
   * The attempt of the report, which distinguishes two claims of one credential; absent: the attempt under which it
   * arrives.
   */
  readonly attempt?: number | null
  /** The end that it reports; absent: none. */
  readonly status?: string | null
}

/**
 * The parts of a report that the worker numbers (`log`, `metrics`): whether each is to be stored; false for a part that
 * is already.
 */
export type FreshParts<Part extends string> = Readonly<Record<Part, boolean>>

/** What a report has to store, validated. */
export interface ReadReport {
  /** The objects to write; the object of a numbered part has its name. */
  readonly objects: Readonly<Record<string, NewObject | null>>
  /** By how many bytes the job grows. */
  readonly addedBytes: number
}

export interface NewObject {
  readonly kind: JobObjectKind
  readonly bytes: Uint8Array
}

/** A report in its transaction, which holds the job's row lock. */
export interface ReportToApply<Input, Job extends HeldJob, Part extends string, Read extends ReadReport> {
  readonly input: Input
  /** The locked job. */
  readonly job: Job
  /** The status that the report leads to. */
  readonly to: Job['status']
  readonly fresh: FreshParts<Part>
  readonly read: Read
  /** The keys of the objects that were written. */
  readonly keys: { readonly [Name in keyof Read['objects']]: string | null }
}

/** A job that a report found; with what its owner's storage held then, where the kind reads both at once. */
type FoundJob = HeldJob & Partial<HeldBytes>

/** How a kind of job is reported on. */
export interface ReportKind<
  Input extends ReportInput,
  Found extends FoundJob,
  Locked extends Found,
  Part extends string,
  Read extends ReadReport,
  Shown,
> {
  /** The job of the report, for callers who can report on it. Errors: 401, 403, 404. */
  readonly find: (ctx: RequestContext, input: Input) => Promise<Found>
  /**
   * Ends a job that should have ended before this report, so that the report is refused; false if there was no need.
   */
  readonly endOverdue?: (deps: SweepDeps, job: Found) => Promise<boolean>
  /** The worker's own numbers of a report, with those that are stored. */
  readonly numbersOf: (job: Found, input: Input) => Readonly<Record<Part, ReportNumber>>
  /** The status that the report leads to; throws the refusal of the state table. */
  readonly next: (job: Found, input: Input, actor: JobActor) => Found['status']
  /** Validates the report and reads what it refers to, outside of the transaction. */
  readonly read: (ctx: RequestContext, job: Found, input: Input, fresh: FreshParts<Part>) => Promise<Read>
  /** Locks what the report changes, in the lock order of the kind. */
  readonly lock: (tx: Tx, input: Input, read: Read) => Promise<Locked>
  /**
   * Writes everything that the report changes; settles the job if it ends. Bytes that `takeBytes` refuses are 413
   * `quota.storage`.
   */
  readonly apply: (ctx: RequestContext, tx: Tx, report: ReportToApply<Input, Locked, Part, Read>) => Promise<void>
  readonly show: (querier: Querier, viewer: Viewer, jobId: string) => Promise<Shown>
  /** Whether `show` is one statement, which is sent with the commit. */
  readonly isShownByOne?: true
  /** Records that the worker was told why its report was refused. */
  readonly noteRefusal?: (ctx: RequestContext, input: Input, error: unknown) => Promise<void>
}

/**
 * Stores a report as a whole or not at all, and returns the job. A report whose numbered parts are all stored already
 * changes nothing; that holds for the report that ended the job too, so that a worker that lost the response can retry.
 * Errors: those of the kind, 409 `conflict.not_claimer`, `conflict.terminal`, 413 `quota.storage`, 503 without an
 * object store for its objects.
 */
export function reportJob<
  Input extends ReportInput,
  Found extends FoundJob,
  Locked extends Found,
  Part extends string,
  Read extends ReadReport,
  Shown,
>(ctx: RequestContext, kind: ReportKind<Input, Found, Locked, Part, Read, Shown>, input: Input): Promise<Shown> {
  return guarded(
    ctx,
    () => kind.find(ctx, input),
    async (allowed, found) => {
      try {
        return await storeReport(allowed, kind, found as Found, input)
      } catch (error) {
        await kind.noteRefusal?.(allowed, input, error)
        throw error
      }
    },
  )
}

async function storeReport<
  Input extends ReportInput,
  Found extends FoundJob,
  Locked extends Found,
  Part extends string,
  Read extends ReadReport,
  Shown,
>(
  ctx: AllowedContext,
  kind: ReportKind<Input, Found, Locked, Part, Read, Shown>,
  found: Found,
  input: Input,
): Promise<Shown> {
  const job = (await kind.endOverdue?.(ctx.deps, found)) ? await kind.find(ctx, input) : found
  const { credentialId } = requireCredential(ctx.viewer)
  const actor = { credentialId, attempt: input.attempt ?? job.attempt }
  const judged = judge(kind, job, input, actor)
  if (!judged) return commitVerb(ctx, (tx) => kind.show(tx, ctx.viewer, job.id))
  const read = await kind.read(ctx, job, input, judged.fresh).catch(async (error: unknown) => {
    // What the end of a job removes is not lost: then the report is refused for the end.
    if (error instanceof HubError && error.type === 'store.lost') judge(kind, await kind.find(ctx, input), input, actor)
    throw error
  })
  const { addedBytes: bytes, objects } = read
  if (bytes > 0) await assertRoomOf(ctx, job, bytes)
  const written: string[] = []
  try {
    const keys = await putObjects<Read>(ctx, job.id, objects, written)
    const change = async (tx: Tx) => {
      // An error after the commit, as of a job that is hidden now, is no refusal.
      tx.afterCommit(() => written.splice(0))
      const locked = await kind.lock(tx, input, read)
      // A concurrent duplicate may have been stored first. No row refers to the objects of this one.
      const now = judge(kind, locked, input, actor)
      deleteAfterCommit(ctx.deps, tx, now ? staleOf(keys, now.fresh) : Object.values(keys))
      if (now) {
        await kind.apply(ctx, tx, { ...now, input, job: locked, read, keys })
        tx.afterCommit(() => ctx.deps.events.hint(locked.id))
      }
    }
    const show = (querier: Querier) => kind.show(querier, ctx.viewer, job.id)
    const store = () =>
      kind.isShownByOne ? commitAndShow(ctx, change, show) : commitVerb(ctx, (tx) => change(tx).then(() => show(tx)))
    return await withRoom(ctx, { ownerId: job.ownerId, bytes }, store)
  } catch (thrown) {
    const error = await asQuotaRefusal(ctx.deps.db, ctx.deps.config, { ownerId: job.ownerId, bytes }, thrown)
    await forgetRefused(ctx, written, error)
    throw error
  }
}

async function assertRoomOf({ deps }: RequestContext, job: FoundJob, bytes: number): Promise<void> {
  const { db, config } = deps
  const { mostBytes, ownerId } = job
  if (mostBytes !== undefined && fitSurely(config, { mostBytes }, bytes)) return
  await assertRoom(db, config, ownerId, { bytes, uploads: 0 })
}

/** A second one needs a gigabyte that others store in between. */
const ROOM_RETRIES = 3

/** Stores the report again where it did not fit for the spares of other runs, which are given back then. */
async function withRoom<T>(
  { deps }: RequestContext,
  room: { readonly ownerId: string; readonly bytes: number },
  store: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await store()
    } catch (error) {
      if (attempt > ROOM_RETRIES || !(await madeRoom(deps.db, deps.config, room, error))) throw error
    }
  }
}

/** Where the report leads, and which of its parts are new. Null for a duplicate. Pure. */
function judge<Input extends ReportInput, Found extends HeldJob, Part extends string>(
  { numbersOf, next }: Pick<ReportKind<Input, Found, Found, Part, ReadReport, unknown>, 'numbersOf' | 'next'>,
  job: Found,
  input: Input,
  actor: JobActor,
): { readonly to: Found['status']; readonly fresh: FreshParts<Part> } | null {
  const numbers = Object.entries<ReportNumber>(numbersOf(job, input))
  const numbered = numbers.filter(([, { given }]) => given !== null)
  const isKnown = numbered.length > 0 && numbered.every(([, number]) => isStoredNumber(number))
  if (isKnown && isClaimer(job, actor) && (job.status === 'running' || job.status === input.status)) return null
  const to = next(job, input, actor)
  return {
    to,
    fresh: Object.fromEntries(numbers.map(([part, number]) => [part, !isStoredNumber(number)])) as FreshParts<Part>,
  }
}

const isStoredNumber = ({ stored, given }: ReportNumber) => given !== null && isStored(stored, given)

/** Writes the objects at the same time; `written` gets each key as soon as its object exists. */
async function putObjects<Read extends ReadReport>(
  ctx: RequestContext,
  jobId: string,
  objects: Read['objects'],
  written: string[],
): Promise<{ readonly [Name in keyof Read['objects']]: string | null }> {
  const put = async ([name, object]: [string, NewObject | null]): Promise<[string, string | null]> => {
    if (!object) return [name, null]
    const key = await putJobObject(ctx.deps, object.kind, { jobId, bytes: object.bytes, signal: ctx.signal })
    written.push(key)
    return [name, key]
  }
  return Object.fromEntries(await Promise.all(Object.entries(objects).map(put))) as {
    readonly [Name in keyof Read['objects']]: string | null
  }
}

/** The objects of parts that are stored already. */
const staleOf = (keys: Readonly<Record<string, string | null>>, fresh: FreshParts<string>) =>
  Object.entries(keys).map(([name, key]) => (fresh[name] === false ? key : null))

/**
 * A worker's own numbers of its reports that are stored in this attempt: everything up to `last` except `gaps`. Reports
 * of one worker may be in flight at the same time, so a higher number can be stored first: the lower one is then not a
 * duplicate. Contract, "Reports".
 */
export interface StoredNumbers {
  /** Null until a report gave one. */
  readonly last: number | null
  readonly gaps: readonly number[]
}

/** How far behind the last number a late report may be; no worker has this many reports in flight. */
const WINDOW = 64

/** Whether the report with this number is already stored. */
export function isStored({ last, gaps }: StoredNumbers, number: number): boolean {
  return last !== null && number <= last && !gaps.includes(number)
}

/**
 * The stored numbers plus `number`. A new attempt starts without a last number; the gaps of the previous one are
 * dropped.
 */
export function withNumber({ last, gaps }: StoredNumbers, number: number): StoredNumbers {
  if (last !== null && number <= last) return { last, gaps: gaps.filter((gap) => gap !== number) }
  const from = Math.max(0, number - WINDOW, last === null ? 0 : last + 1)
  const passed = Array.from({ length: number - from }, (_, index) => from + index)
  const open = last === null ? [] : gaps.filter((gap) => gap >= number - WINDOW)
  return { last: number, gaps: [...open, ...passed] }
}

/** The number of a part of a report, and those that are stored. */
export interface ReportNumber {
  readonly stored: StoredNumbers
  /** Null if the worker gave none. */
  readonly given: number | null
}

/** The stored numbers after the report. */
export function numberAfter({ stored, given }: ReportNumber): StoredNumbers {
  return given === null ? stored : withNumber(stored, given)
}
