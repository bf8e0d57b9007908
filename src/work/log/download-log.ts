/** A job's log as one text. Spec, downloadRunLog. */
import stripAnsi from 'strip-ansi'
import { assertLevel } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { readJobObject } from '../job-objects.ts'
import type { JobLog, LogHead } from './job-log.ts'
import { type LogChunk, partOfLog, readChunk } from './log-chunks.ts'
import { openEndOf } from './log-lines.ts'

/**
 * All kept chunks in order of arrival, up to the last one at the time of the request; prefetches one chunk. A notice of
 * the hub that arrived inside a line stands before it. 404 if the job is not visible to the caller.
 */
export async function downloadLog(
  ctx: RequestContext,
  log: JobLog,
  jobId: string,
  options: { readonly stripAnsi: boolean },
): Promise<AsyncGenerator<string>> {
  assertLevel(ctx.viewer, 'read')
  const lines = linesOf(ctx, log, jobId, await log.findHead(ctx, ctx.viewer, jobId))
  return options.stripAnsi ? strippedOf(lines) : lines
}

/** Line by line, as the stream does, so that an unterminated escape sequence affects only its own line. */
async function* strippedOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts)
    yield text
      .split('\n')
      .map((line) => stripAnsi(line))
      .join('\n')
}

/** Texts of whole lines; the last one may be open. */
async function* linesOf(ctx: RequestContext, log: JobLog, jobId: string, head: LogHead): AsyncGenerator<string> {
  let open = ''
  for await (const { stream, lineCount, text } of chunksOf(ctx, log, jobId, head)) {
    if (stream === 'stderr') {
      yield text
      continue
    }
    const end = openEndOf(text, lineCount)
    const whole = open + text.slice(0, text.length - end.length)
    const hasLineEnd = end.length < text.length
    if (hasLineEnd) yield whole
    open = hasLineEnd ? end : whole + end
  }
  if (open.length > 0) yield open
}

interface ChunkText extends Pick<LogChunk, 'stream' | 'lineCount'> {
  readonly text: string
}

async function* chunksOf(
  ctx: RequestContext,
  log: JobLog,
  jobId: string,
  { logFirst: first, logSeq: last }: LogHead,
): AsyncGenerator<ChunkText> {
  let next = first <= last ? read(ctx, log, jobId, first) : null
  for (let seq = first; next; seq += 1) {
    const chunk = await next
    next = seq < last ? read(ctx, log, jobId, seq + 1) : null
    // Avoids an unhandled rejection: the prefetch may fail before it is awaited. The await still gets the error.
    next?.catch(() => undefined)
    yield chunk
  }
}

async function read(ctx: RequestContext, log: JobLog, jobId: string, seq: number): Promise<ChunkText> {
  const { stream, lineCount, key, text } = await readChunk(ctx.deps.db, log, jobId, seq)
  const whole = key === null ? (text ?? '') : await readJobObject(ctx.deps, key, partOfLog(jobId, seq), ctx.signal)
  return { stream, lineCount, text: whole }
}
