import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, expect } from 'vitest'
import { type RunningHub, startHub } from '../../../src/start-hub.ts'
import { readEvents, type SentEvent } from '../../support/event-stream.ts'
import { contractHub, type Json, type Person } from '../../support/hub.ts'

export const connectionsOf = (app: FastifyInstance) =>
  new Promise<number>((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

export const linesOf = (events: readonly SentEvent[]) =>
  events.filter(({ event }) => event === 'log').map(({ data }) => data.line)

export const stepsOf = (events: readonly SentEvent[]) =>
  events.filter(({ event }) => event === 'metric').map(({ data }) => data.step)

/** Claimed runs on two hubs over one database and store, and readers of their streams. */
export function streamedRuns(settings: Readonly<Record<string, string>> = {}) {
  const hub = contractHub(settings)
  /** Another hub over the same database and store. */
  let other: RunningHub
  let ada: Person
  let key: string
  beforeAll(async () => {
    const { config } = hub.running.deps
    other = await startHub({ ...config, port: 0, publicUrl: null }, pino({ level: 'silent' }))
    ada = await hub.person()
    key = await hub.key(ada, { scope: 'train' })
  })
  afterAll(() => other?.stop())
  /** A run that the key holds. */
  async function claimed(): Promise<string> {
    const made = await hub.call(key, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })
    expect([made.status, made.json.errors]).toEqual([201, undefined])
    const taken = await hub.call(key, 'POST', `/v1/runs/${made.json.id}/claim`, { worker: 'box' })
    expect(taken.status).toBe(200)
    return made.json.id
  }
  async function report(runId: string, body: Json, headers: Record<string, string> = {}) {
    const answer = await hub.call(key, 'POST', `/v1/runs/${runId}/report`, body, headers)
    expect([answer.status, answer.json.errors]).toEqual([200, undefined])
    return answer
  }
  const follow = (runId: string, query = 'follow=true', headers: Record<string, string> = {}, url = hub.running.url) =>
    readEvents(`${url}/v1/runs/${runId}/logs?${query}`, ada.token, headers)
  return {
    hub,
    claimed,
    report,
    follow,
    get other() {
      return other
    },
    get ada() {
      return ada
    },
    get key() {
      return key
    },
  }
}
