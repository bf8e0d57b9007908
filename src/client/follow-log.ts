/** Follows the log of a job over Server-Sent Events (spec, streamRunLogs): every event once, in order, across reconnects. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Caller } from './call.ts'
import { readJson } from './exact-json.ts'
import { ProblemError, TransferError } from './problem.ts'
import { withRetry } from './retry.ts'
import { endData, logData, metricData, type RunEvent } from './run-shapes.ts'
import { type ServerEvent, sseParser } from './sse-parser.ts'

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

/** The hub writes at least a comment every 12 s: a connection silent for this long is dead, even if the OS has not noticed. */
const SILENT_MS = 40_000
const RETRY_MS = 2000

/** Events until `end`. Rejects with `ProblemError`, with `TransferError` once reconnecting has failed too often, or with the signal's reason. */
export async function* followLog(
  caller: Caller,
  connect: ConnectLog,
  options: FollowOptions,
): AsyncGenerator<RunEvent, void> {
  let after = options.after ?? ''
  let reconnectMs = RETRY_MS
  for (;;) {
    const reading = await withRetry(caller.retry, caller.signal, () => open(caller, connect, options, after))
    try {
      for await (const event of reading.events()) {
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
    await delay(reconnectMs / 2 + (reconnectMs / 2) * caller.retry.random(), undefined, { signal: caller.signal })
  }
}

async function open(caller: Caller, connect: ConnectLog, { follow, tail, stripAnsi }: FollowOptions, after: string) {
  const query = { follow, tail: after === '' ? tail : undefined, strip_ansi: stripAnsi || undefined }
  const watch = watchdog()
  const headers: Record<string, string> = { accept: 'text/event-stream' }
  if (after !== '') headers['last-event-id'] = after
  const response = await connect(query, headers, watch.signal).catch((error: unknown) => {
    watch.close()
    if (caller.signal.aborted || error instanceof ProblemError || error instanceof TransferError) throw error
    throw new TransferError('The log stream could not be opened.', caller.url, { cause: error })
  })
  const parser = sseParser()
  return {
    retryMs: () => parser.retryMs,
    close: watch.close,
    async *events(): AsyncGenerator<RunEvent> {
      try {
        for await (const bytes of response.body ?? []) {
          watch.reset()
          for (const event of parser.push(bytes)) {
            const read = readEvent(event)
            if (read) yield read
          }
        }
      } catch (error) {
        if (caller.signal.aborted) throw caller.signal.reason
        throw new TransferError('The log stream was cut off.', caller.url, { cause: error })
      }
    },
  }
}

/** Aborts after `SILENT_MS` without data. */
function watchdog() {
  const abort = new AbortController()
  const silent = () => abort.abort(new DOMException('No data for too long.', 'TimeoutError'))
  let timer = setTimeout(silent, SILENT_MS)
  return {
    signal: abort.signal,
    reset() {
      clearTimeout(timer)
      timer = setTimeout(silent, SILENT_MS)
    },
    close() {
      clearTimeout(timer)
      abort.abort()
    },
  }
}

/** Null for event types of newer hubs. */
function readEvent({ event, data, id }: ServerEvent): RunEvent | null {
  if (event === 'log') return { kind: 'log', id, ...logData.parse(JSON.parse(data)) }
  if (event === 'metric') return { kind: 'metric', id, line: metricData.parse(readJson(data)) }
  if (event === 'end') return { kind: 'end', id, ...endData.parse(JSON.parse(data)) }
  return null
}
