// @module-tag own-graph
/** What a request costs for an address that nothing has. */
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { type Db, openDb } from '../../src/store/db.ts'
import { testServer } from './support/test-server.ts'

let db: Db
let app: ReturnType<typeof testServer>['app']
function start(env: Record<string, string> = {}) {
  db = openDb({ url: 'postgres://nobody@127.0.0.1:9/none', poolMax: 1 })
  app = testServer({ db, env, log: pino({ level: 'silent' }) }).app
  return app
}
afterEach(async () => {
  await app.close()
  await db.close()
})

const json = { 'content-type': 'application/json' }

describe('an address that nothing has', () => {
  it.each(['/v1/nothing', '/nothing', '/docs/nothing'])('is answered before the body is read: %s', async (url) => {
    const answer = await start().inject({ method: 'POST', url, headers: json, payload: '{"not": JSON' })
    expect([answer.statusCode, answer.json().type]).toEqual([404, '/problems/not_found'])
  })

  it('counts against who asks for it', async () => {
    start({ RATE_LIMIT_PER_MINUTE: '10' })
    const ask = (method: 'GET' | 'POST') => app.inject({ method, url: '/v1/nothing', headers: json, payload: '{}' })
    const answers = [await ask('POST'), await ask('GET'), await ask('POST'), await ask('GET')]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 429, 429])
    expect(answers[0]?.headers.ratelimit).toContain('"address";r=1')
  })
})
