/** The events of a run for one reader: what there is, then what comes. Spec, streamRunLogs. */
import { currentViewer } from '../../auth/current-viewer.ts'
import { assertLevel } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, invalid, type Loc } from '../../platform/errors.ts'
import { turns } from '../../platform/turns.ts'
import { terminalStatuses } from '../run-state.ts'
import { findHead } from './find-head.ts'
import type { RunBatch, RunHead } from './log-batch.ts'
import type { LogPosition } from './position.ts'
import { findChunkOfLine } from './read-chunks.ts'

export interface FollowOptions {
  /** Goes on while the run is queued or running. */
  readonly follow: boolean
  /** Only the last so many log lines of what there is; null is all. Metrics are never cut. */
  readonly tail: number | null
  /** Where an earlier reading stopped; then there is no tail. */
  readonly resume: { readonly position: LogPosition; readonly loc: Loc } | null
  readonly stripAnsi: boolean
  readonly log: boolean
  readonly metrics: boolean
}

/** Keys are revoked and people leave orgs while a stream is open: followers are checked again this often. */
const RECHECK_MS = 30_000

/**
 * Batches and, last, the end. Without an `end` they stop when the request ends, the hub stops or the caller may no longer see the run: the reader can come
 * back with the position of its last batch. Errors before the first batch: 401, 404, 422 for a position of another run.
 */
export async function followRun(
  ctx: RequestContext,
  runId: string,
  options: FollowOptions,
): Promise<AsyncGenerator<RunBatch, void>> {
  assertLevel(ctx.viewer, 'read')
  const found = await findHead(ctx, ctx.viewer, runId)
  const start = await startOf(ctx, runId, found, options)
  return following(ctx, runId, options, found, start)
}

async function* following(
  ctx: RequestContext,
  runId: string,
  options: FollowOptions,
  found: RunHead,
  start: LogPosition,
): AsyncGenerator<RunBatch, void> {
  let position = start
  // The chunk in which an earlier reading stopped may hold more.
  let nextChunk = Math.max(1, start.chunk)
  for await (const head of options.follow && !isOver(found) ? headsOf(ctx, runId, found) : [found]) {
    for await (const batch of readUpTo(ctx, runId, options, head, nextChunk, position)) {
      // What others asked for already comes without waiting for anything: hundreds of followers of a long log would starve everything else.
      await turns.next(batch.cost)
      if (ctx.signal.aborted) return
      position = batch.after
      yield batch
    }
    nextChunk = position.chunk + 1
    if (!options.follow || isOver(head)) yield { kind: 'end', status: head.status, after: position }
  }
}

/** How far the run goes, again whenever that has changed, until it is over. Ends early with the request, the hub, or the caller's right to see it. */
async function* headsOf(ctx: RequestContext, runId: string, found: RunHead): AsyncGenerator<RunHead, void> {
  yield found
  let last = found
  let checkAt = performance.now() + RECHECK_MS
  for await (const _hint of ctx.deps.events.watch(runId, ctx.signal)) {
    if (performance.now() >= checkAt) {
      if (!(await maySee(ctx, runId))) return
      checkAt = performance.now() + RECHECK_MS
    }
    const head = await headNow(ctx, runId, last)
    if (!head) return
    if (sameHead(last, head)) continue
    last = head
    yield head
    if (isOver(head)) return
  }
}

/** A database that does not answer for a moment ends no stream: the next hint, or the next look without one, finds what there is. */
async function headNow({ deps }: RequestContext, runId: string, last: RunHead): Promise<RunHead | null> {
  try {
    return await deps.runLogs.head(runId)
  } catch (error) {
    deps.log.warn({ err: error, run: runId }, 'looking for news of a followed run failed')
    return last
  }
}

const sameHead = (one: RunHead, other: RunHead) =>
  one.status === other.status &&
  one.logSeq === other.logSeq &&
  one.metricsSeq === other.metricsSeq &&
  one.epoch === other.epoch

/** An imported run has no log; an ended one gets no more. */
const isOver = (head: RunHead) => head.kind === 'external' || terminalStatuses.includes(head.status)

/** Everything up to the head, the log first: chunks from `nextChunk` on, metrics after the position. */
async function* readUpTo(
  ctx: RequestContext,
  runId: string,
  options: FollowOptions,
  head: RunHead,
  nextChunk: number,
  from: LogPosition,
): AsyncGenerator<Exclude<RunBatch, { kind: 'end' }>> {
  if (head.kind === 'external') return
  const { runLogs } = ctx.deps
  let position = from
  for (let seq = nextChunk; options.log && seq <= head.logSeq; seq += 1) {
    for (let line = seq === from.chunk ? from.line : 0, isLast = false; !isLast; line = position.line) {
      const batch = await runLogs.logBatch(runId, seq, line, position, options.stripAnsi)
      ;({ isLast, after: position } = batch)
      if (batch.lines.length > 0) yield batch
    }
  }
  while (options.metrics && position.metric < head.metricsSeq) {
    const batch = await runLogs.metricBatch(runId, head, position)
    position = batch.after
    yield batch
  }
}

async function startOf(
  ctx: RequestContext,
  runId: string,
  head: RunHead,
  { tail, resume }: FollowOptions,
): Promise<LogPosition> {
  if (resume) {
    const { position, loc } = resume
    if (position.chunk <= head.logSeq && position.metric <= head.metricsSeq) return position
    throw invalid('validation.value', 'The position is not one of this run.', loc)
  }
  const line = tail === null ? 0 : Math.max(0, head.logLines - tail)
  if (line === 0) return { chunk: 0, line: 0, metric: 0 }
  const chunk = await findChunkOfLine(ctx.deps.db, runId, line, head.logSeq)
  return { chunk: chunk?.seq ?? 0, line: chunk ? line - chunk.firstLine : 0, metric: 0 }
}

async function maySee(ctx: RequestContext, runId: string): Promise<boolean> {
  const viewer = await currentViewer(ctx.deps.db, ctx.viewer)
  if (viewer === null) return false
  try {
    await findHead(ctx, viewer, runId)
    return true
  } catch (error) {
    if (error instanceof HubError && error.type === 'not_found') return false
    throw error
  }
}
