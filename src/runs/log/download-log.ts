/** A run's log as one text. Spec, downloadRunLog. */
import stripAnsi from 'strip-ansi'
import { assertLevel } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { findHead } from './find-head.ts'
import { readChunk } from './read-chunks.ts'
import { readRunObject } from './run-objects.ts'

/**
 * All chunks as they came, in the order in which they came, up to the last one at the time of asking; one is held in memory while the next is fetched.
 * 404 where the caller may not see the run. An imported run has none.
 */
export async function downloadLog(
  ctx: RequestContext,
  runId: string,
  options: { readonly stripAnsi: boolean },
): Promise<AsyncGenerator<string>> {
  assertLevel(ctx.viewer, 'read')
  const head = await findHead(ctx, ctx.viewer, runId)
  return textsOf(ctx, runId, head.kind === 'external' ? 0 : head.logSeq, options.stripAnsi)
}

async function* textsOf(ctx: RequestContext, runId: string, last: number, strip: boolean): AsyncGenerator<string> {
  let next = last > 0 ? readText(ctx, runId, 1) : null
  for (let seq = 1; next; seq += 1) {
    const text = await next
    next = seq < last ? readText(ctx, runId, seq + 1) : null
    // It may fail before anyone awaits it; the one who awaits it later gets the error.
    next?.catch(() => undefined)
    // By line, as the stream does: a sequence that never ends takes no further line with it.
    yield strip
      ? text
          .split('\n')
          .map((line) => stripAnsi(line))
          .join('\n')
      : text
  }
}

async function readText(ctx: RequestContext, runId: string, seq: number): Promise<string> {
  const chunk = await readChunk(ctx.deps.db, runId, seq)
  return chunk.key === null ? (chunk.text ?? '') : readRunObject(ctx.deps, chunk.key, ctx.signal)
}
