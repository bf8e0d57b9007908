/** A job's log as one text. Spec, downloadRunLog. */
import stripAnsi from 'strip-ansi'
import { assertLevel } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { readJobObject } from '../job-objects.ts'
import type { JobLog } from './job-log.ts'
import { partOfLog, readChunk } from './log-chunks.ts'

/**
 * All chunks in order of arrival, up to the last one at the time of the request; prefetches one chunk. 404 if the job is not visible to the caller.
 */
export async function downloadLog(
  ctx: RequestContext,
  log: JobLog,
  jobId: string,
  options: { readonly stripAnsi: boolean },
): Promise<AsyncGenerator<string>> {
  assertLevel(ctx.viewer, 'read')
  const { logSeq } = await log.findHead(ctx, ctx.viewer, jobId)
  return textsOf(ctx, log, jobId, logSeq, options.stripAnsi)
}

async function* textsOf(
  ctx: RequestContext,
  log: JobLog,
  jobId: string,
  last: number,
  strip: boolean,
): AsyncGenerator<string> {
  let next = last > 0 ? readText(ctx, log, jobId, 1) : null
  for (let seq = 1; next; seq += 1) {
    const text = await next
    next = seq < last ? readText(ctx, log, jobId, seq + 1) : null
    // Avoids an unhandled rejection: the prefetch may fail before it is awaited. The await still gets the error.
    next?.catch(() => undefined)
    // Line by line, as the stream does, so that an unterminated escape sequence affects only its own line.
    yield strip
      ? text
          .split('\n')
          .map((line) => stripAnsi(line))
          .join('\n')
      : text
  }
}

async function readText(ctx: RequestContext, log: JobLog, jobId: string, seq: number): Promise<string> {
  const chunk = await readChunk(ctx.deps.db, log, jobId, seq)
  return chunk.key === null ? (chunk.text ?? '') : readJobObject(ctx.deps, chunk.key, partOfLog(jobId, seq), ctx.signal)
}
