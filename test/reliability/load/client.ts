/** A client of one credential: it repeats a request under the same Idempotency-Key until it has an answer that settles it, as the hub's own clients do. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, send } from '../lab/send.ts'
import type { Tally } from './tally.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read as they come; the recount is what judges them.
export type Json = any

/** Longer than any answer may take. */
const SILENT_MS = 30_000
const RETRY_MIN_MS = 100
const RETRY_MAX_MS = 1_000

export interface Settled {
  readonly status: number
  readonly json: Json
  readonly bytes: Buffer
  readonly headers: Answer['headers']
}

/** What the clients of one load share: where the hubs are, what is counted, and when nothing is repeated any more. */
export interface Surroundings {
  /** Any hub that the load knows; the load does not know which ones are up. */
  readonly pickHub: () => string
  readonly tally: () => Tally
  /** Aborted when the load is given up. */
  readonly givenUp: AbortSignal
  /** How long one request is repeated; without it until the load is given up. */
  readonly patienceMs?: number
}

/** The request was not settled in time. */
export class Unsettled extends Error {}

export class Client {
  readonly around: Surroundings
  readonly token: string

  constructor(around: Surroundings, token: string) {
    this.around = around
    this.token = token
  }

  /** Repeats until the answer settles the request. With a body that is not GraphQL a key goes along, the same one each time. */
  ask(method: string, path: string, body?: unknown, settings: { keyed?: boolean } = {}): Promise<Settled> {
    const keyed = settings.keyed ?? (method === 'POST' && path.startsWith('/v1/'))
    const headers = {
      authorization: `Bearer ${this.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(keyed ? { 'idempotency-key': randomUUID() } : {}),
    }
    const text = body === undefined ? undefined : JSON.stringify(body)
    return this.settle(`${method} ${plain(path)}`, (hub) => ({
      method,
      url: new URL(path, hub),
      headers,
      body: text,
      silentMs: SILENT_MS,
    }))
  }

  /** A document of the graph; null where it has errors that a repeat does not mend. */
  async graph(query: string, variables: Json = {}): Promise<Json> {
    const { json } = await this.ask('POST', '/graphql', { query, variables }, { keyed: false })
    if (json?.errors) this.around.tally().unexplained(`graph: ${JSON.stringify(json.errors).slice(0, 300)}`)
    return json?.data ?? null
  }

  /** The bytes of a URL that the hub signed, at whichever hub is there. */
  signed(method: 'GET' | 'PUT', url: string, body?: Buffer): Promise<Settled> {
    const { pathname, search } = new URL(url)
    return this.settle(`${method} ${plain(pathname)}`, (hub) => ({
      method,
      url: new URL(pathname + search, hub),
      body,
      silentMs: SILENT_MS,
    }))
  }

  private async settle(what: string, sendingTo: (hub: string) => Parameters<typeof send>[0]): Promise<Settled> {
    const { around } = this
    const until = performance.now() + (around.patienceMs ?? Number.POSITIVE_INFINITY)
    for (let waitMs = RETRY_MIN_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MAX_MS)) {
      if (around.givenUp.aborted || performance.now() > until) throw new Unsettled(what)
      const tally = around.tally()
      tally.sent += 1
      const began = performance.now()
      const answer = await send(sendingTo(around.pickHub())).catch(() => null)
      const tookMs = performance.now() - began
      if (answer === null) tally.unanswered(what, tookMs)
      else {
        const json = jsonOf(answer)
        const type = problemOf(json)
        tally.answered(what, answer.status >= 400 ? answer.status : statusOf(json, answer.status), type, tookMs)
        if (isSettled(answer.status, type))
          return { status: answer.status, json, bytes: answer.bytes, headers: answer.headers }
      }
      await delay(waitMs, undefined, { signal: around.givenUp }).catch(() => undefined)
    }
  }
}

/** Without ids, so that like requests are counted together. */
function plain(path: string): string {
  return path.replace(/\?.*/, '').replace(/\/[a-z]+_[0-9a-z]{26}/g, '/ID')
}

function jsonOf({ headers, bytes }: Answer): Json {
  const type = String(headers['content-type'] ?? '')
  return type.includes('json') && bytes.length > 0 ? JSON.parse(bytes.toString()) : null
}

const problemOf = (json: Json): string => json?.type ?? json?.errors?.[0]?.extensions?.problem?.type ?? ''

/** An error of the graph comes with 200 where some of its fields were answered. */
const statusOf = (json: Json, status: number): number => json?.errors?.[0]?.extensions?.problem?.status ?? status

const passing = ['/problems/unavailable', '/problems/conflict.in_progress', '/problems/idempotency.in_flight']

/** Not so: the hub, its database or its store cannot serve now, or the same request is still in progress. */
const isSettled = (status: number, type: string) => status < 500 && status !== 429 && !passing.includes(type)
