// @module-tag own-graph
/** Documents by their digest, and a hub that executes only those that its operator trusts. */
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'graphql'
import { createClient } from 'graphql-sse'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { meaningOf, readTrustedDocuments } from '../../src/http/persisted-documents.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { testServer } from './support/test-server.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const persistedQuery = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: sha256(text) } })

let db: Db
let folder: string
const running: ReturnType<typeof testServer>[] = []
beforeAll(async () => {
  db = openDb({ url: 'postgres://nobody@127.0.0.1:9/none', poolMax: 1 })
  folder = await mkdtemp(join(tmpdir(), 'hub-documents-'))
})
afterAll(async () => {
  for (const { app } of running) await app.close()
  await db.close()
  await rm(folder, { recursive: true, force: true })
})

function start(env: Record<string, string> = {}) {
  const server = testServer({ db, env })
  running.push(server)
  return server.app
}
type App = ReturnType<typeof start>

const post = async (app: App, body: object, url = '/graphql') => {
  const accept = url === '/graphql' ? 'application/graphql-response+json' : 'text/event-stream'
  const headers = { 'content-type': 'application/json', accept }
  const { statusCode, payload } = await app.inject({ method: 'POST', url, headers, payload: JSON.stringify(body) })
  const json = url === '/graphql' ? payload : (/^data: (\{.*)$/m.exec(payload)?.[1] ?? payload)
  return { statusCode, json: JSON.parse(json) }
}

describe('an automatic persisted query', () => {
  const query = 'query persisted { who }'
  const extensions = persistedQuery(query)

  it('is asked for once, and then executed by its digest alone, on both mounts', async () => {
    const app = start()
    const unknown = await post(app, { extensions })
    expect([unknown.statusCode, unknown.json.errors[0].message, unknown.json.errors[0].extensions.code]).toEqual([
      404,
      'PersistedQueryNotFound',
      'PERSISTED_QUERY_NOT_FOUND',
    ])
    const answer = { data: { who: 'anonymous' } }
    expect((await post(app, { query, extensions })).json).toEqual(answer)
    expect((await post(app, { extensions })).json).toEqual(answer)
    expect((await post(app, { documentId: `sha256:${sha256(query)}` })).json).toEqual(answer)
    expect((await post(app, { extensions }, '/graphql/stream')).json).toEqual(answer)
    const url = `/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`
    expect((await app.inject({ url, headers: { accept: 'application/json' } })).json()).toEqual(answer)
    const byId = `/graphql?documentId=sha256:${sha256(query)}`
    expect((await app.inject({ url: byId, headers: { accept: 'application/json' } })).json()).toEqual(answer)
  })

  it('is 200 to clients that accept only application/json, as their libraries expect', async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const payload = JSON.stringify({ extensions: persistedQuery('{ who me }') })
    const { statusCode } = await start().inject({ method: 'POST', url: '/graphql', headers, payload })
    expect(statusCode).toBe(200)
  })

  it('is refused under the digest of another document, and keeps nothing', async () => {
    const app = start()
    for (const url of ['/graphql', '/graphql/stream']) {
      const headers = { 'content-type': 'application/json', accept: 'application/json' }
      const payload = JSON.stringify({ query: '{ who other: who }', extensions })
      const { json } = url === '/graphql' ? await post(app, JSON.parse(payload)) : { json: null }
      if (json) expect([json.errors[0].extensions.status]).toEqual([400])
      else
        expect(
          (await app.inject({ method: 'POST', url, headers: { ...headers, accept: 'text/event-stream' }, payload }))
            .statusCode,
        ).toBe(400)
    }
    expect((await post(app, { extensions })).json.errors[0].message).toBe('PersistedQueryNotFound')
  })
})

describe('with a manifest of trusted documents', () => {
  const trusted = 'query whoAmI { who }'
  const live = 'subscription live { ticks(count: 2) }'
  const manifestFile = async (content: unknown) => {
    const file = join(folder, `${Math.random()}.json`)
    await writeFile(file, JSON.stringify(content))
    return file
  }
  const ofTexts = (...texts: string[]) => Object.fromEntries(texts.map((text) => [sha256(text), text]))

  it('the hub executes those, by digest or by text in any layout, and no other', async () => {
    const app = start({ TRUSTED_DOCUMENTS: await manifestFile(ofTexts(trusted, live)) })
    const answer = { data: { who: 'anonymous' } }
    expect((await post(app, { documentId: `sha256:${sha256(trusted)}` })).json).toEqual(answer)
    expect((await post(app, { query: trusted })).json).toEqual(answer)
    expect((await post(app, { query: 'query whoAmI {\n  # a comment\n  who\n  __typename }' })).json.data.who).toBe(
      'anonymous',
    )
    for (const query of ['{ who }', 'query whoAmI { who more: who }', '{ __schema { types { name } } }']) {
      const { statusCode, json } = await post(app, { query })
      expect([statusCode, json.errors[0].extensions.problem.type]).toEqual([403, '/problems/forbidden.document'])
      expect(json).not.toHaveProperty('data')
      expect((await post(app, { query }, '/graphql/stream')).json.errors[0].extensions.status).toBe(403)
    }
    // A digest that a client registers makes nothing trusted.
    const other = '{ who other: who }'
    expect((await post(app, { query: other, extensions: persistedQuery(other) })).statusCode).toBe(403)
    expect((await post(app, { extensions: persistedQuery(other) })).statusCode).toBe(403)
  })

  it('a subscription follows by a document of it, with the client of graphql-sse', async () => {
    const app = start({ TRUSTED_DOCUMENTS: await manifestFile(ofTexts(live)) })
    const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/graphql/stream`
    const client = createClient({ url, retryAttempts: 0 })
    const counts: unknown[] = []
    for await (const { data } of client.iterate({ query: live })) counts.push(data?.ticks)
    client.dispose()
    expect(counts).toEqual([0, 1])
  })

  it("trusts the documents of the hub's own pages in any case, and reads the manifest of Apollo's tools", async () => {
    const client = await readFile(new URL('../../web/src/app/session.graphql', import.meta.url), 'utf8')
    const operations = [{ id: sha256(trusted), name: 'whoAmI', type: 'query', body: trusted }]
    const { texts, meanings } = readTrustedDocuments(await manifestFile({ format: 'apollo', version: 1, operations }))
    expect(texts.get(sha256(trusted))).toBe(trusted)
    expect(meanings).toContain(meaningOf(parse(client)))
  })

  it.each<[string, unknown, RegExp]>([
    ['is no manifest', ['a'], /TRUSTED_DOCUMENTS: .* is not a manifest of documents/],
    ['has another digest', { [sha256('{ a }')]: '{ b }' }, /has a document whose SHA-256 is not/],
    ['has what is not a document', ofTexts('{'), /is not GraphQL/],
  ])('the start fails with a file that %s', async (_what, content, message) => {
    const file = await manifestFile(content)
    expect(() => start({ TRUSTED_DOCUMENTS: file })).toThrow(message)
    expect(() => start({ TRUSTED_DOCUMENTS: join(folder, 'none.json') })).toThrow(/TRUSTED_DOCUMENTS: .*none\.json/)
  })
})
