// @module-tag own-graph
/** Bodies that end long after their heads: whoever has lost the right to act meanwhile does not act. Contract, "Credentials". */
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRESH_RIGHTS_MS } from '../../src/http/identify.ts'
import { HubError } from '../../src/platform/errors.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { testServer, testViewer } from './support/test-server.ts'

const db: Db = openDb({ url: 'postgres://nobody@127.0.0.1:9/none', poolMax: 2 })
const revoked = new Set<string>()
/** How often the sender of each credential was looked up. */
const lookedUp = new Map<string, number>()
const waiting = new Map<string, () => void>()

const server = testServer({
  db,
  parts: {
    authenticate: async ({ headers: { authorization = '' } }) => {
      lookedUp.set(authorization, (lookedUp.get(authorization) ?? 0) + 1)
      waiting.get(authorization)?.()
      if (revoked.has(authorization))
        throw new HubError('auth.invalid', 'The credential is unknown, expired or revoked.')
      return testViewer(authorization)
    },
  },
})
let port = 0

beforeAll(async () => {
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  port = (server.app.server.address() as AddressInfo).port
})
afterAll(async () => {
  await server.app.close()
  await db.close()
})

/** Sends the head and a byte, and after both the rest of the body once `before` is done. */
async function sendLate(name: string, path: string, body: object, before: () => Promise<unknown> | unknown) {
  const authorization = `Bearer ${name}`
  const json = JSON.stringify(body)
  const isSeen = new Promise<void>((seen) => waiting.set(authorization, seen))
  const headers = { authorization, 'content-type': 'application/json', 'content-length': json.length }
  const sent = request({ port, host: '127.0.0.1', method: 'POST', path, headers })
  const answer = new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', async (response) => resolve({ status: response.statusCode, body: await text(response) }))
  })
  sent.write(json[0])
  await isSeen
  await before()
  sent.end(json.slice(1))
  return answer
}

const later = () => wait(FRESH_RIGHTS_MS + 20)
const revokedLater = (name: string) => () => {
  revoked.add(`Bearer ${name}`)
  return later()
}

describe('a body that comes long after its head', () => {
  it('does nothing for a key that was revoked meanwhile, in both dialects', async () => {
    const made = server.counters.made
    const [v1, graph] = await Promise.all([
      sendLate('v1', '/v1/things', { name: 'late' }, revokedLater('v1')),
      sendLate(
        'graph',
        '/graphql',
        { query: 'mutation { makeThing(input: {name: "late"}) { thing { id } } }' },
        revokedLater('graph'),
      ),
    ])
    expect([v1.status, JSON.parse(v1.body).type]).toEqual([401, '/problems/auth.invalid'])
    expect([graph.status, JSON.parse(graph.body).errors[0].extensions.problem.type]).toEqual([
      401,
      '/problems/auth.invalid',
    ])
    expect(server.counters.made).toBe(made)
  })

  it('acts for a key that is still good, whose rights are those of the end of the body', async () => {
    const answer = await sendLate('good', '/graphql', { query: '{ who }' }, later)
    expect([answer.status, JSON.parse(answer.body).data, lookedUp.get('Bearer good')]).toEqual([
      200,
      { who: 'key_good' },
      2,
    ])
  })
})
