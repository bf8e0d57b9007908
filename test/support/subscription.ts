/** A reader of one subscription over `/graphql/stream` for tests: what came, in order, and whether the stream has ended. */
import { expect } from 'vitest'
import type { Json } from './hub.ts'

export interface SubscriptionReader {
  /** The `data` of each event, or the response itself if it has errors. */
  readonly events: Json[]
  readonly ended: Promise<void>
  until(count: number): Promise<Json[]>
  close(): void
}

/** `field` is the content of `subscription { … }`. */
export async function readSubscription(url: string, token: string, field: string): Promise<SubscriptionReader> {
  const leaving = new AbortController()
  const response = await fetch(`${url}/graphql/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: `subscription { ${field} }` }),
    signal: leaving.signal,
  })
  const events: Json[] = []
  const ended = read(response, events).catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error
  })
  ended.catch(() => undefined)
  return {
    events,
    ended,
    async until(count) {
      await expect.poll(() => events.length, { timeout: 100_000, interval: 10 }).toBeGreaterThanOrEqual(count)
      return events
    },
    close: () => leaving.abort(),
  }
}

async function read(response: Response, events: Json[]): Promise<void> {
  if (!response.body) return
  let text = ''
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      if (!block.startsWith('event: next')) continue
      const answer = JSON.parse(block.slice(block.indexOf('data: ') + 6))
      events.push(answer.errors ? answer : answer.data)
    }
  }
}
