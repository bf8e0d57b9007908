/**
 * Signed part URLs are not rate limited by credential, so each part has its own limits: one PUT at a time, and a
 * maximum per minute. Presigning, which creates parts, is rate limited.
 */
import { HubError } from '../platform/errors.ts'
import type { PartGrant } from '../store/objects/signed-url.ts'
import { MinuteWindows } from './minute-windows.ts'

/** A part is normally sent once; a bad connection may need a few retries. */
const PUTS_PER_MINUTE = 20

export interface PartTurns {
  /**
   * Runs `write` once the part's earlier PUT has ended. The later one wins: a client that lost its connection retries
   * long before the hub notices that the first one is dead. Rejects with 429 `rate.limited`, and with 409
   * `conflict.in_progress` if a later PUT took over.
   */
  run<T>(grant: PartGrant, write: (signal: AbortSignal) => Promise<T>): Promise<T>
}

interface Turn {
  readonly stopped: AbortController
  readonly over: Promise<unknown>
}

/** Of this process: of two PUTs of a part that come to two processes, the one that ends last is kept. */
export function partTurns(): PartTurns {
  const windows = new MinuteWindows<'puts'>('parts')
  const current = new Map<string, Turn>()
  return {
    async run(grant, write) {
      const part = `${grant.uploadId}/${grant.partNumber}`
      count(windows, part)
      const earlier = current.get(part)
      const stopped = new AbortController()
      const work = (async () => {
        earlier?.stopped.abort(new HubError('conflict.in_progress', 'A later request is sending the same part.'))
        await earlier?.over
        stopped.signal.throwIfAborted()
        return await write(stopped.signal)
      })()
      const turn = { stopped, over: work.catch(() => undefined) }
      current.set(part, turn)
      try {
        return await work
      } catch (error) {
        throw stopped.signal.aborted ? stopped.signal.reason : error
      } finally {
        if (current.get(part) === turn) current.delete(part)
      }
    },
  }
}

function count(windows: MinuteWindows<'puts'>, part: string): void {
  const window = windows.of(part)
  const used = window.add('puts', 1)
  if (used <= PUTS_PER_MINUTE) return
  const { resetS } = window
  const detail = `The part was sent more than ${PUTS_PER_MINUTE} times in a minute; retry in ${resetS} s.`
  const facts = { unit: 'requests', limit: PUTS_PER_MINUTE, used, retryAfterS: resetS }
  throw new HubError('rate.limited', detail, { facts })
}
