/** Followers of a run that reconnect wherever they were disconnected, over both dialects, and keep what they received. */
import { setTimeout as delay } from 'node:timers/promises'
import type { HubPlace } from './simulated-runner.ts'

export interface FollowerOptions {
  readonly hub: HubPlace
  readonly token: string
  readonly runId: string
  /** From 0 to 1, the same for the same seed. */
  readonly random: () => number
}

/** What a follower saw, in the order in which it came. */
export interface Seen {
  readonly lines: string[]
  readonly steps: number[]
  status: string | null
  connections: number
}

/** The probability that a follower disconnects after an event, even in the middle of a batch. */
const LEAVES = 0.02
const RETURN_MS = 100

type Fields = ReadonlyMap<string, string>

/** Over `GET /v1/runs/{run_id}/logs`, with `Last-Event-ID`, until the end. */
export async function followEvents(options: FollowerOptions): Promise<Seen> {
  const seen: Seen = { lines: [], steps: [], status: null, connections: 0 }
  let lastId: string | null = null
  const connect = (signal: AbortSignal) =>
    fetch(`${options.hub.url}/v1/runs/${options.runId}/logs?follow=true`, {
      headers: { authorization: `Bearer ${options.token}`, ...(lastId !== null && { 'last-event-id': lastId }) },
      signal,
    })
  await untilEnd(options, seen, connect, (fields) => {
    const data = JSON.parse(fields.get('data') ?? '{}')
    lastId = fields.get('id') ?? lastId
    if (fields.get('event') === 'log') seen.lines.push(data.line)
    if (fields.get('event') === 'metric') seen.steps.push(data.step)
    if (fields.get('event') === 'end') seen.status = data.status
  })
  return seen
}

/** Over the subscriptions `runLog` and `runMetrics`, each with its cursor, until both have ended. */
export async function followGraph(options: FollowerOptions): Promise<Seen> {
  const [log, metrics] = await Promise.all([
    subscribed(options, 'runLog', 'events { line }', (seen, { line }) => seen.lines.push(line)),
    subscribed(options, 'runMetrics', 'events', (seen, { step }) => seen.steps.push(step)),
  ])
  const { lines, status } = log
  return { lines, steps: metrics.steps, status, connections: log.connections + metrics.connections }
}

async function subscribed(
  options: FollowerOptions,
  field: 'runLog' | 'runMetrics',
  events: string,
  keep: (seen: Seen, event: ReturnType<typeof JSON.parse>) => void,
): Promise<Seen> {
  const seen: Seen = { lines: [], steps: [], status: null, connections: 0 }
  let after: string | null = null
  const query = `subscription ($id: ID!, $after: String) { ${field}(runId: $id, after: $after) { ${events} cursor status } }`
  const connect = (signal: AbortSignal) =>
    fetch(`${options.hub.url}/graphql/stream`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${options.token}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query, variables: { id: options.runId, after } }),
      signal,
    })
  await untilEnd(options, seen, connect, (fields) => {
    if (fields.get('event') !== 'next') return
    const batch = JSON.parse(fields.get('data') ?? '{}').data?.[field]
    if (!batch) return
    for (const event of batch.events) keep(seen, event)
    after = batch.cursor
    seen.status = batch.status?.toLowerCase() ?? null
  })
  return seen
}

async function untilEnd(
  { random }: FollowerOptions,
  seen: Seen,
  connect: (signal: AbortSignal) => Promise<Response>,
  take: (fields: Fields) => void,
): Promise<void> {
  while (seen.status === null) {
    const leaving = new AbortController()
    try {
      const response = await connect(leaving.signal)
      seen.connections += 1
      for await (const fields of blocksOf(response)) {
        take(fields)
        if (seen.status !== null || random() < LEAVES) break
      }
    } catch {
      // Disconnected, or no hub there: it reconnects.
    } finally {
      leaving.abort()
    }
    if (seen.status === null) await delay(RETURN_MS * (0.5 + random()))
  }
}

/** The complete blocks of Server-Sent Events. */
async function* blocksOf(response: Response): AsyncGenerator<Fields> {
  if (!response.ok || !response.body) throw new Error(`The stream was refused with ${response.status}.`)
  let text = ''
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      yield new Map(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
    }
  }
}
