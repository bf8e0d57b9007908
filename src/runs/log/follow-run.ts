/** The events of a run for one reader: what there is, then what comes. Spec, streamRunLogs. */
import { currentViewer } from '../../auth/current-viewer.ts'
import { assertLevel } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, invalid, type Loc } from '../../platform/errors.ts'
import { turns } from '../../platform/turns.ts'
import { terminalStatuses } from '../run-state.ts'
import { findHead } from './find-head.ts'
import type { FollowedRun, RunBatch, RunHead } from './log-batch.ts'
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
  // A reader that stops earlier than its request leaves the feed too.
  const leaving = new AbortController()
  const signal = AbortSignal.any([ctx.signal, leaving.signal])
  try {
    const feed = options.follow && !isOver(found) ? await ctx.deps.runLogs.watch(runId, signal) : null
    yield* readOn({ ctx, runId, options, signal, feed }, found, start)
  } finally {
    leaving.abort()
  }
}

interface Reading {
  readonly ctx: RequestContext
  readonly runId: string
  readonly options: FollowOptions
  readonly signal: AbortSignal
  /** Null: it ends with what there is. */
  readonly feed: FollowedRun | null
}

async function* readOn(reading: Reading, found: RunHead, start: LogPosition): AsyncGenerator<RunBatch, void> {
  const { ctx, runId, signal, feed } = reading
  let head = found
  let position = start
  let checkAt = performance.now() + RECHECK_MS
  // The chunk in which an earlier reading stopped may hold more.
  for (let nextChunk = Math.max(1, start.chunk); ; nextChunk = position.chunk + 1) {
    for await (const batch of readUpTo(reading, head, nextChunk, position)) {
      // What others asked for already comes without waiting for anything: hundreds of followers of a long log would starve everything else.
      await turns.next(batch.cost)
      if (signal.aborted) return
      position = batch.after
      yield batch
    }
    if (isOver(head) || !feed) {
      yield { kind: 'end', status: head.status, after: position }
      return
    }
    await feed.changed(head, checkAt - performance.now(), signal)
    if (signal.aborted || feed.isOver) return
    if (performance.now() >= checkAt) {
      if (!(await maySee(ctx, runId))) return
      checkAt = performance.now() + RECHECK_MS
    }
    head = feed.head
  }
}

/** An imported run has no log; an ended one gets no more. */
const isOver = (head: RunHead) => head.kind === 'external' || terminalStatuses.includes(head.status)

/** Everything up to the head, the log first: chunks from `nextChunk` on, metrics after the position. */
async function* readUpTo(
  { ctx, runId, options }: Reading,
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
