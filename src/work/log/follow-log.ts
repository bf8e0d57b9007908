/**
 * Streams the log and metrics of a job to one reader: first the stored part, then additions as they arrive. Spec,
 * streamRunLogs.
 */
import { currentViewer } from '../../auth/current-viewer.ts'
import { assertLevel } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, invalid, type Loc } from '../../platform/errors.ts'
import { turns } from '../../platform/turns.ts'
import { terminalStatuses } from '../job-state.ts'
import type { JobLog, LogHead } from './job-log.ts'
import type { FollowedBatch } from './log-batch.ts'
import { findChunkOfLine } from './log-chunks.ts'
import type { LogPosition } from './position.ts'

export interface FollowOptions {
  /** Continues while the job is queued or running. */
  readonly follow: boolean
  /** Number of stored log lines to start with, counted from the end; null: all. Metrics are never cut. */
  readonly tail: number | null
  /** The position where an earlier stream stopped; `tail` then does not apply. */
  readonly resume: { readonly position: LogPosition; readonly loc: Loc } | null
  readonly stripAnsi: boolean
  readonly log: boolean
  readonly metrics: boolean
}

/**
 * Interval at which the rights of followers are checked: keys are revoked and people leave orgs while a stream is open.
 */
const RECHECK_MS = 30_000

/**
 * Yields batches and finally the `end`. The stream stops without an `end` if the request ends, the hub stops or the
 * caller may no longer see the job; the reader can then resume from the position of its last batch. Errors before the
 * first batch: 401, 404, 422 for a position of another job.
 */
export async function followLog(
  ctx: RequestContext,
  log: JobLog,
  jobId: string,
  options: FollowOptions,
): Promise<AsyncGenerator<FollowedBatch, void>> {
  assertLevel(ctx.viewer, 'read')
  const found = await log.findHead(ctx, ctx.viewer, jobId)
  const followed = { ctx, log, jobId, options }
  return following(followed, found, await startOf(followed, found))
}

/** A job's log, and how one reader follows it. */
interface Followed {
  readonly ctx: RequestContext
  readonly log: JobLog
  readonly jobId: string
  readonly options: FollowOptions
}

async function* following(followed: Followed, found: LogHead, start: LogPosition): AsyncGenerator<FollowedBatch, void> {
  const { ctx, log, jobId, options } = followed
  let position = start
  // The chunk in which an earlier stream stopped may have more lines.
  let nextChunk = Math.max(1, start.chunk)
  for await (const head of options.follow && !isOver(found) ? headsOf(ctx, log, jobId, found) : [found]) {
    for await (const batch of readUpTo(followed, head, { nextChunk, from: position })) {
      // A shared batch is available without waiting: hundreds of followers of a long log would block the event loop.
      await turns.next(batch.cost)
      if (ctx.signal.aborted) return
      position = batch.after
      yield batch
    }
    nextChunk = position.chunk + 1
    if (!options.follow || isOver(head)) yield { kind: 'end', status: head.status, after: position }
  }
}

/**
 * Yields the head of the job at once and after each change until the job ends. Stops early with the request, the hub,
 * or the caller's right to see the job.
 */
async function* headsOf(
  ctx: RequestContext,
  log: JobLog,
  jobId: string,
  found: LogHead,
): AsyncGenerator<LogHead, void> {
  yield found
  let last = found
  let checkAt = performance.now() + RECHECK_MS
  for await (const wokenAt of ctx.deps.events.watch(jobId, ctx.signal)) {
    if (performance.now() >= checkAt) {
      const may = await maySee(ctx, log, jobId)
      if (may === false) return
      // Nothing is sent before it can be checked.
      if (may === null) continue
      checkAt = performance.now() + RECHECK_MS
    }
    const head = await headNow(ctx, { log, jobId, last, wokenAt })
    if (!head) return
    if (sameHead(last, head)) continue
    last = head
    yield head
    if (isOver(head)) return
  }
}

/** A follower that a hint of that moment has woken. */
interface Woken {
  readonly log: JobLog
  readonly jobId: string
  readonly last: LogHead
  readonly wokenAt: number
}

/** A brief database outage does not end a stream: the next hint or poll catches up. */
async function headNow({ deps }: RequestContext, { log, jobId, last, wokenAt }: Woken): Promise<LogHead | null> {
  try {
    return await deps.logs.head(log, jobId, wokenAt)
  } catch (error) {
    deps.log.warn({ err: error, job: jobId }, 'polling a followed job failed')
    return last
  }
}

const sameHead = (one: LogHead, other: LogHead) =>
  one.status === other.status &&
  one.logSeq === other.logSeq &&
  one.metricsSeq === other.metricsSeq &&
  one.epoch === other.epoch

/** A job that has ended gets no more log or metrics. */
const isOver = ({ status }: LogHead) => terminalStatuses.includes(status)

/**
 * Everything up to the head, the log first: lines that end in the chunks from `nextChunk` on which are kept, the open
 * line if no more of it comes, metrics after the position.
 */
async function* readUpTo(
  { ctx, log, jobId, options }: Followed,
  head: LogHead,
  { nextChunk, from }: { readonly nextChunk: number; readonly from: LogPosition },
): AsyncGenerator<Exclude<FollowedBatch, { kind: 'end' }>> {
  const { logs } = ctx.deps
  const strip = options.stripAnsi
  let position = from
  for (let seq = Math.max(nextChunk, head.logFirst); options.log && seq <= head.logSeq; seq += 1) {
    for (let line = seq === from.chunk ? from.line : 0, isLast = false; !isLast; line = position.line) {
      const batch = await logs.logBatch(log, jobId, { seq, from: line, before: position, strip })
      ;({ isLast, after: position } = batch)
      if (batch.lines.length > 0) yield batch
    }
  }
  // Nothing more comes that could end the line: the reader does not wait, or the job is over.
  if (options.log && head.openFrom !== null && (!options.follow || isOver(head))) {
    const batch = await logs.openLine(log, jobId, head, { before: position, strip })
    const isShown = position.chunk === head.logSeq && position.line > batch.from
    if (!isShown) {
      position = batch.after
      yield batch
    }
  }
  while (options.metrics && log.metrics && position.metric < head.metricsSeq) {
    const batch = await logs.metricBatch(log.metrics, jobId, head, position)
    position = batch.after
    yield batch
  }
}

async function startOf({ ctx, log, jobId, options: { tail, resume } }: Followed, head: LogHead): Promise<LogPosition> {
  if (resume) {
    const { position, loc } = resume
    if (position.chunk <= head.logSeq && position.metric <= head.metricsSeq) return position
    throw invalid('validation.value', `The position is not one of this ${log.job.noun}.`, loc)
  }
  const lines = head.logLines + (head.openFrom === null ? 0 : 1)
  const line = tail === null ? 0 : Math.max(0, lines - tail)
  if (line === 0) return { chunk: 0, line: 0, metric: 0 }
  const chunk = await findChunkOfLine(ctx.deps.db, log, jobId, { line, last: head.logSeq })
  return { chunk: chunk?.seq ?? 0, line: chunk ? line - chunk.firstLine : 0, metric: 0 }
}

/** Null where it cannot be checked now, as in a brief database outage. */
async function maySee(ctx: RequestContext, log: JobLog, jobId: string): Promise<boolean | null> {
  try {
    const viewer = await currentViewer(ctx.deps.db, ctx.viewer)
    if (viewer === null) return false
    await log.findHead(ctx, viewer, jobId)
    return true
  } catch (error) {
    if (error instanceof HubError && error.type === 'not_found') return false
    ctx.deps.log.warn({ err: error, job: jobId }, "checking a follower's rights failed")
    return null
  }
}
