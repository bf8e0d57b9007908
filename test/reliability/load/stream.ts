/** A stream of Server-Sent Events, read as it comes. */
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Client, Json } from './client.ts'

export interface StreamEvent {
  readonly event: string
  readonly id: string
  readonly data: Json
}

export interface Stream {
  readonly path: string
  /** A subscription, sent by POST. */
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Goes away then. */
  readonly ending?: AbortSignal
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
/** An open stream says something every 15 s at least. */
const SILENT_MS = 45_000

/** Resolves when the stream has ended, broken, or was not opened at all. */
export async function readStream(client: Client, stream: Stream, onEvent: (event: StreamEvent) => void): Promise<void> {
  try {
    const response = await open(client, stream)
    if (response.statusCode === 200) await read(response, onEvent)
    else response.resume()
  } catch {
    // The reader resumes; the recount says what it has missed.
  }
}

function open(client: Client, { path, query, headers, ending }: Stream): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asking = request(
      new URL(path, client.around.pickHub()),
      {
        agent,
        method: query === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${client.token}`,
          accept: 'text/event-stream',
          ...(query === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        signal: ending ?? client.around.givenUp,
      },
      resolve,
    )
    asking.setTimeout(SILENT_MS, () => asking.destroy(new Error('The stream was silent.')))
    asking.on('error', reject).end(query === undefined ? undefined : JSON.stringify({ query }))
  })
}

function read(response: IncomingMessage, onEvent: (event: StreamEvent) => void): Promise<void> {
  let text = ''
  return new Promise((resolve) => {
    response
      .setEncoding('utf8')
      .on('data', (piece: string) => {
        text += piece
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) {
          const event = eventOf(block)
          if (event) onEvent(event)
        }
      })
      .on('error', () => resolve())
      .on('close', resolve)
  })
}

function eventOf(block: string): StreamEvent | null {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const data = fields.get('data')
  return data ? { event: fields.get('event') ?? '', id: fields.get('id') ?? '', data: JSON.parse(data) } : null
}
