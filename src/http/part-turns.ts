/**
 * Signed part URLs count against no credential's rate, so each part has bounds of its own: one PUT at a time, and so many a minute. Presigning, which is
 * what makes parts, does count.
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { HubError } from '../platform/errors.ts'
import type { PartGrant } from '../store/objects/signed-url.ts'

/** A part is sent once; a bad connection may need a few more. */
const PUTS_PER_MINUTE = 20

export interface PartTurns {
  /**
   * Runs `write` when the part's earlier PUT is over. The later one wins: a client that lost its connection comes again long before the hub knows that the
   * first one is dead. Rejects with 429 `rate.limited`, and with 409 `conflict.in_progress` where a later PUT took over.
   */
  run<T>(grant: PartGrant, write: (signal: AbortSignal) => Promise<T>): Promise<T>
}

interface Turn {
  readonly cut: AbortController
  readonly over: Promise<unknown>
}

/** The turns of one process, which is the only one at a disk store. */
export function partTurns(): PartTurns {
  const limiter = new RateLimiterMemory({ points: PUTS_PER_MINUTE, duration: 60 })
  const underWay = new Map<string, Turn>()
  return {
    async run(grant, write) {
      const part = `${grant.uploadId}/${grant.partNumber}`
      await count(limiter, part)
      const earlier = underWay.get(part)
      const cut = new AbortController()
      const work = (async () => {
        earlier?.cut.abort(new HubError('conflict.in_progress', 'A later request sends the same part.'))
        await earlier?.over
        cut.signal.throwIfAborted()
        return await write(cut.signal)
      })()
      const turn = { cut, over: work.catch(() => undefined) }
      underWay.set(part, turn)
      try {
        return await work
      } catch (error) {
        throw cut.signal.aborted ? cut.signal.reason : error
      } finally {
        if (underWay.get(part) === turn) underWay.delete(part)
      }
    },
  }
}

async function count(limiter: RateLimiterMemory, part: string): Promise<void> {
  const taken = await limiter.consume(part).catch((spent: unknown) => {
    if (spent instanceof RateLimiterRes) return spent
    throw spent
  })
  if (taken.consumedPoints <= PUTS_PER_MINUTE) return
  const resetS = Math.max(1, Math.ceil(taken.msBeforeNext / 1000))
  const detail = `The part was sent more than ${PUTS_PER_MINUTE} times in a minute; go on in ${resetS} s.`
  throw new HubError('rate.limited', detail, { headers: { 'retry-after': String(resetS) } })
}
