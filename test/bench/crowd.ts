/** Many followers of a log in this process, who only count its lines. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** Followers of a log. */
export interface Crowd {
  /** Resolves when each of them has so many lines more than at the call before. */
  until(lines: number): Promise<void>
  close(): void
}

/** The request that opens a stream. */
interface Ask {
  readonly path: string | ((connection: number) => string)
  readonly body?: object | ((n: number) => object)
  readonly accept?: string
}

const POLL_MS = 10
/** Longer than a hub collects hints of changes before it sends them. */
const QUIET_MS = 500
const LATE_MS = 120_000

/** Connects them one after another. */
export async function crowdOf(url: string, token: string, ask: Ask, count: number): Promise<Crowd> {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  const seen = new Array<number>(count).fill(0)
  const streams: IncomingMessage[] = []
  /** Followers whose stream the server has ended, which is not part of what is measured. */
  const ended = new Set<number>()
  for (let place = 0; place < count; place += 1) {
    const stream = await open(url, token, ask, agent)
    // The word that is counted may be cut in two.
    let rest = ''
    stream.setEncoding('latin1').on('data', (piece: string) => {
      const text = rest + piece
      seen[place] = (seen[place] ?? 0) + text.split(MARK).length - 1
      const last = text.lastIndexOf(MARK)
      rest = text.slice(Math.max(last === -1 ? 0 : last + MARK.length, text.length - MARK.length + 1))
    })
    stream.on('error', () => undefined)
    stream.on('close', () => ended.add(place))
    streams.push(stream)
  }
  let expected = await settled(seen)
  return {
    async until(lines) {
      expected += lines
      for (const late = performance.now() + LATE_MS; seen.some((own) => own < expected); await pause(POLL_MS))
        if (performance.now() > late || ended.size > 0) throw new Error(lateness(seen, expected, ended.size))
      if (seen.some((own) => own > expected)) throw new Error('a follower has a line twice')
    },
    close: () => {
      for (const stream of streams) stream.destroy()
      agent.destroy()
    },
  }
}

function lateness(seen: readonly number[], expected: number, ended: number): string {
  const late = seen.filter((own) => own < expected)
  return `${late.length} of ${seen.length} followers have ${Math.min(...seen)} lines or more of ${expected}; ${ended} ended`
}

/** Of each line of a log, in the events of both protocols. */
const MARK = '"line":'

/** How many lines each has, once all have as many and no more come. */
async function settled(seen: readonly number[]): Promise<number> {
  for (let before = -1; ; before = Math.max(...seen)) {
    await pause(QUIET_MS)
    if (new Set(seen).size === 1 && before === seen[0]) return before
  }
}

function open(url: string, token: string, { path, body, accept }: Ask, agent: Agent): Promise<IncomingMessage> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(accept && { accept }),
    ...(body && { 'content-type': 'application/json' }),
  }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const options = { agent, headers, method: body ? 'POST' : 'GET' }
  request(`${url}${typeof path === 'string' ? path : path(0)}`, options, (response) => {
    if (response.statusCode === 200) resolve(response)
    else reject(new Error(`a stream was answered with ${response.statusCode}`))
  })
    .on('error', reject)
    .end(body && JSON.stringify(body))
  return promise
}
