/** Replays of an Idempotency-Key, as resolvers see them. */
import type { RequestContext } from '../src/context.ts'

/** Runs a verb, or, on a replayed Idempotency-Key, lets its stored result stand in: only the rendering happens again, so signed URLs are signed anew. */
export function once<T>(ctx: RequestContext, verb: () => Promise<T>): Promise<T> {
  return ctx.replay ? Promise.resolve(ctx.replay.value as T) : verb()
}
