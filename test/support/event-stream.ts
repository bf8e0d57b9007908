/** A reader of Server-Sent Events for tests: the received events, in order, and the position to resume from. */
import { expect } from 'vitest'

export interface SentEvent {
  readonly event: string
  readonly id: string
  readonly data: ReturnType<typeof JSON.parse>
}

export interface EventReader {
  readonly status: number
  readonly headers: Headers
  readonly events: SentEvent[]
  /** Comments and `retry` fields. */
  readonly others: string[]
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>
  /** Waits until so many events have come. */
  until(count: number): Promise<SentEvent[]>
  /** Goes away. */
  close(): void
}

/** Opens a stream and reads it to its end in the background. */
export async function readEvents(
  url: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<EventReader> {
  const leaving = new AbortController()
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: leaving.signal,
  })
  const events: SentEvent[] = []
  const others: string[] = []
  const ended = read(response, events, others).catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error
  })
  ended.catch(() => undefined)
  return {
    status: response.status,
    headers: response.headers,
    events,
    others,
    ended,
    async until(count) {
      await expect.poll(() => events.length, { timeout: 100_000, interval: 10 }).toBeGreaterThanOrEqual(count)
      return events
    },
    close: () => leaving.abort(),
  }
}

async function read(response: Response, events: SentEvent[], others: string[]): Promise<void> {
  if (!response.body) return
  let text = ''
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      const [event, id, data] = [fields.get('event'), fields.get('id'), fields.get('data')]
      if (event && id && data) events.push({ event, id, data: JSON.parse(data) })
      else others.push(block)
    }
  }
}
