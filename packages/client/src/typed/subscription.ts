/** A subscription over Server-Sent Events, across reconnects. */
import { type Caller, type GraphError, problemOfGraph } from '../call.ts'
import { delay } from '../delay.ts'
import { openEvents, RECONNECT_MS } from '../event-reading.ts'
import { TransferError } from '../problem.ts'
import { withRetry } from '../retry.ts'
import type { SubscribeSettings, Variables } from './types.ts'

type Data = Record<string, unknown>

interface Result {
  readonly data?: Data | null
  readonly errors?: readonly GraphError[]
}

/**
 * Its events until the hub completes it. Rejects with the `ProblemError` of its first error, with `TransferError` once
 * reconnecting has failed too often, or with a signal's reason.
 */
export async function* subscription(
  caller: Caller,
  text: string,
  variables: Variables,
  { signal: given, resume }: SubscribeSettings<Data, Variables>,
): AsyncGenerator<Data, void> {
  const signal = given ? AbortSignal.any([caller.signal, given]) : caller.signal
  let now = variables
  let reconnectMs = RECONNECT_MS
  for (;;) {
    const reading = await withRetry(caller.retry, signal, () =>
      openEvents({ what: 'subscription', url: caller.url, signal }, (within) =>
        caller.graphStream(text, now, AbortSignal.any([signal, within])),
      ),
    )
    try {
      for await (const { event, data } of reading.events()) {
        if (event === 'complete') return
        if (event !== 'next') continue
        const result: Result = JSON.parse(data)
        const [error] = result.errors ?? []
        if (error) throw problemOfGraph(error, result.data)
        if (!result.data) continue
        if (resume) now = resume(result.data)
        yield result.data
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!(error instanceof TransferError)) throw error
    } finally {
      reading.close()
    }
    reconnectMs = reading.retryMs() ?? reconnectMs
    await delay(reconnectMs / 2 + (reconnectMs / 2) * caller.retry.random(), signal)
  }
}
