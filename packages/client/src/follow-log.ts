/**
 * Follows the log of a job over Server-Sent Events (spec, streamRunLogs): every event once, in order, across
 * reconnects.
 */

import { parseExact } from '@hub/formats/exact-json'
import type { Caller } from './call.ts'
import { delay } from './delay.ts'
import { openEvents, RECONNECT_MS } from './event-reading.ts'
import { TransferError } from './problem.ts'
import { withRetry } from './retry.ts'
import type { RunEvent } from './run-event.ts'
import { endData, logData, metricData } from './run-shapes.ts'
import type { ServerEvent } from './sse-parser.ts'

export interface FollowOptions {
  /** Keep following while the job is queued or running; otherwise stop after the existing events. */
  readonly follow: boolean
  /** Only the last `tail` log lines; metrics are never cut. */
  readonly tail?: number
  readonly stripAnsi?: boolean
  /** Id of the last event already received; only later events follow. */
  readonly after?: string
}

/** Opens the stream of one job. */
export type ConnectLog = (
  query: { readonly follow: boolean; readonly tail?: number; readonly strip_ansi?: boolean },
  headers: Readonly<Record<string, string>>,
  within: AbortSignal,
) => Promise<Response>

/**
 * Events until `end`. Rejects with `ProblemError`, with `TransferError` once reconnecting has failed too often, or with
 * the signal's reason.
 */
export async function* followLog(
  caller: Caller,
  connect: ConnectLog,
  options: FollowOptions,
): AsyncGenerator<RunEvent, void> {
  let after = options.after ?? ''
  let reconnectMs = RECONNECT_MS
  for (;;) {
    const reading = await withRetry(caller.retry, caller.signal, () => open(caller, connect, options, after))
    try {
      for await (const sent of reading.events()) {
        const event = readEvent(sent)
        if (event === null) continue
        after = event.id
        yield event
        if (event.kind === 'end') return
      }
    } catch (error) {
      if (caller.signal.aborted) throw caller.signal.reason
      if (!(error instanceof TransferError)) throw error
    } finally {
      reading.close()
    }
    reconnectMs = reading.retryMs() ?? reconnectMs
    await delay(reconnectMs / 2 + (reconnectMs / 2) * caller.retry.random(), caller.signal)
  }
}

function open(caller: Caller, connect: ConnectLog, { follow, tail, stripAnsi }: FollowOptions, after: string) {
  const query = { follow, tail: after === '' ? tail : undefined, strip_ansi: stripAnsi || undefined }
  const headers: Record<string, string> = { accept: 'text/event-stream' }
  if (after !== '') headers['last-event-id'] = after
  return openEvents({ what: 'log stream', url: caller.url, signal: caller.signal }, (within) =>
    connect(query, headers, within),
  )
}

/** Null for event types of newer hubs. */
function readEvent({ event, data, id }: ServerEvent): RunEvent | null {
  if (event === 'log') return { kind: 'log', id, ...logData.parse(JSON.parse(data)) }
  if (event === 'metric') return { kind: 'metric', id, line: metricData.parse(parseExact(data)) }
  if (event === 'end') return { kind: 'end', id, ...endData.parse(JSON.parse(data)) }
  return null
}
