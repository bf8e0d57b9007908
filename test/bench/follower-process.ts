/**
 * A process full of followers of one run, started by `followers.ts`. The first message says whom to follow; `ready` is answered when all are connected, and
 * what they saw when every stream has ended. Lines begin with their number, so one expression reads both protocols at little cost.
 */
import { Agent, type IncomingMessage, request } from 'node:http'

export interface FollowOrder {
  readonly url: string
  readonly token: string
  readonly runId: string
  readonly sse: number
  readonly graphql: number
  /** Lines of a report; the arrival of the last one is noted. */
  readonly linesPerReport: number
}

/** What one follower saw. */
export interface Followed {
  readonly kind: 'sse' | 'graphql'
  readonly lines: number
  /** Lines that were not the next one. */
  readonly faults: number
  readonly hasEnded: boolean
  /** When the last line of each report came, in milliseconds of the machine's monotonic clock. */
  readonly arrivals: Float64Array
}

/** Milliseconds on the clock that all processes of a machine share. */
export const machineMs = () => Number(process.hrtime.bigint()) / 1e6

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

function open(order: FollowOrder, kind: Followed['kind']): Promise<IncomingMessage> {
  const { url, token, runId } = order
  const query = `subscription { runLog(runId: "${runId}") { events { ts stream line } cursor status } }`
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  return new Promise((resolve, reject) => {
    const sending =
      kind === 'sse'
        ? request(`${url}/v1/runs/${runId}/logs?follow=true`, { agent, headers }, resolve)
        : request(
            `${url}/graphql/stream`,
            { agent, method: 'POST', headers: { ...headers, 'content-type': 'application/json' } },
            resolve,
          )
    sending.on('error', reject).end(kind === 'sse' ? undefined : JSON.stringify({ query }))
  })
}

function read(response: IncomingMessage, kind: Followed['kind'], linesPerReport: number): Promise<Followed> {
  const arrivals: number[] = []
  let lines = 0
  let faults = 0
  let rest = ''
  let hasEnded = false
  const take = (text: string, at: number) => {
    for (const [, number] of text.matchAll(/"line":"(\d+) /g)) {
      if (Number(number) !== lines) faults += 1
      lines = Number(number) + 1
      if (lines % linesPerReport === 0) arrivals.push(at)
    }
    hasEnded ||= /^event: end$|"status":"SUCCEEDED"/m.test(text)
  }
  return new Promise((resolve, reject) => {
    if (response.statusCode !== 200) reject(new Error(`A stream was answered with ${response.statusCode}.`))
    response
      .setEncoding('utf8')
      .on('data', (piece: string) => {
        const at = machineMs()
        const text = rest + piece
        const whole = text.lastIndexOf('\n\n') + 2
        rest = text.slice(whole)
        take(text.slice(0, whole), at)
      })
      .on('error', reject)
      .on('end', () => resolve({ kind, lines, faults, hasEnded, arrivals: Float64Array.from(arrivals) }))
  })
}

process.once('message', async (order: FollowOrder) => {
  const kinds = [...Array<'sse'>(order.sse).fill('sse'), ...Array<'graphql'>(order.graphql).fill('graphql')]
  const streams: Promise<Followed>[] = []
  for (const kind of kinds) streams.push(read(await open(order, kind), kind, order.linesPerReport))
  process.send?.('ready')
  process.send?.(await Promise.all(streams), () => process.disconnect())
})
