/** `@hub/client` against a hub, and against one that fails where a real one rarely does. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { RetryPolicy } from '@hub/client/retry'
import { createDouble } from '@hub/testing/double'
import { parse } from 'graphql'
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { ProblemError } from '../../packages/client/src/problem.ts'
import { createClient } from '../../packages/client/src/typed/create-client.ts'
import { pullFolder, pushFolder } from '../../packages/client/src/typed/folders.ts'
import type { TypedDocument } from '../../packages/client/src/typed/types.ts'
import { contractHub, newName, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})
const client = () => createClient({ url: hub.running.url, token: ada.token })
const newRepo = async () => {
  const [owner = '', repo = ''] = (await hub.repo(ada)).split('/')
  return { owner, repo }
}

describe('operations', () => {
  it('take their parts and answer the JSON of /v1', async () => {
    const slug = newName()
    const made = await client().v1.createRepo({ body: { kind: 'robot', slug, tags: ['arm'] } })
    expect(made).toMatchObject({ full_name: `${ada.handle}/${slug}`, tags: ['arm'] })
    const path = { owner: ada.handle, repo: slug }
    const changed = await client().v1.updateRepo({ path, body: { description: 'an arm' } })
    expect(changed.description).toBe('an arm')
    expect(await client().v1.deleteRepo({ path })).toBeNull()
  })

  it('reject with the Problem', async () => {
    const missing = client().v1.getRepo({ path: { owner: ada.handle, repo: 'no-such' } })
    await expect(missing).rejects.toMatchObject({
      name: 'ProblemError',
      status: 404,
      kind: 'not_found',
      type: expect.stringMatching(/\/problems\/not_found$/),
    })
    const refused = await client()
      .v1.createRepo({ body: { kind: 'robot', slug: '!' } })
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ProblemError)
    expect((refused as ProblemError).errors[0]?.loc).toEqual(['body', 'slug'])
  })

  it('end with their signal', async () => {
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(client().v1.me({ signal: gone })).rejects.toThrow('gone')
    await expect(createClient({ url: hub.running.url, signal: gone }).v1.listRepos()).rejects.toThrow('gone')
  })

  it('of a list go through all pages', async () => {
    const names = new Set<string>()
    for (let made = 0; made < 3; made += 1) names.add(Object.values(await newRepo()).join('/'))
    const found: string[] = []
    const query = { owner: ada.handle, limit: 1 }
    for await (const { full_name } of client().items('listRepos', { query })) found.push(full_name)
    expect(new Set(found.slice(0, 3))).toEqual(names)
    expect(new Set(found).size).toBe(found.length)
  })

  it('of a log answer text, or its events', async () => {
    const run = await client().v1.createRun({ body: { recipe: { template: 'act', executor: 'worker' } } })
    if (!('display_name' in run)) throw new Error('it is held')
    const path = { run_id: run.id }
    await client().v1.cancelRun({ path })
    const text = await (await client().v1.downloadRunLog({ path })).text()
    const events = []
    for await (const event of client().followRun(run.id)) events.push(event)
    expect(events.at(-1)).toMatchObject({ kind: 'end', status: 'canceled' })
    expect(text.split('\n').length - 1).toBe(events.filter(({ kind }) => kind === 'log').length)
  })
})

describe('documents', () => {
  const text = 'query ($owner: String!, $repo: String!) { repo(owner: $owner, slug: $repo) { id fullName } }'
  interface Found {
    readonly repo: { readonly id: string; readonly fullName: string } | null
  }

  it('are texts, typed strings or what a parser made of them', async () => {
    const given = await newRepo()
    const typed = Object.assign(new String(text)) as unknown as TypedDocument<Found, typeof given>
    const parsed = parse(text) as unknown as TypedDocument<Found, typeof given>
    for (const document of [typed, parsed])
      expect((await client().graphql(document, given)).repo?.fullName).toBe(`${given.owner}/${given.repo}`)
    expect(await client().graphql<Found>(text, given)).toMatchObject({ repo: { id: expect.stringMatching(/^repo_/) } })
    // @ts-expect-error What is not a document does not compile either.
    await expect(client().graphql({})).rejects.toThrow('neither a text nor a parsed GraphQL document')
  })

  it('reject with the Problem of their first error', async () => {
    const asked = client().graphql('mutation { deleteRepo(input: { owner: "x", repo: "y" }) { id } }')
    await expect(asked).rejects.toBeInstanceOf(ProblemError)
  })

  it('reject with what the other root fields answered, so that what a mutation did is known', async () => {
    const slug = newName()
    const make = `createRepo(input: { kind: ROBOT, slug: "${slug}" }) { repo { fullName } }`
    const asked = client().graphql(`mutation { made: ${make} again: ${make} }`)
    const refused = await asked.catch((error: unknown) => error)
    expect(refused).toMatchObject({
      kind: 'conflict.taken',
      graph: { path: ['again'], data: { made: { repo: { fullName: `${ada.handle}/${slug}` } }, again: null } },
    })
    await expect(client().v1.getRepo({ path: { owner: ada.handle, repo: 'no-such' } })).rejects.toMatchObject({
      graph: null,
    })
  })

  it('subscribe to a repo: its state now, and after each change', async () => {
    const path = await newRepo()
    const { id } = await client().v1.getRepo({ path })
    const document = 'subscription ($id: ID!) { repoUpdated(repoId: $id) { description } }'
    const seen: unknown[] = []
    for await (const { repoUpdated } of client().subscribe<{ repoUpdated: { description: string | null } }>(document, {
      id,
    })) {
      seen.push(repoUpdated.description)
      if (seen.length === 2) break
      await client().v1.updateRepo({ path, body: { description: 'changed' } })
    }
    expect(seen).toEqual([null, 'changed'])
    const wrong = client().subscribe('subscription { repoUpdated(repoId: "repo_none") { id } }')
    await expect(wrong.next()).rejects.toBeInstanceOf(ProblemError)
  })
})

describe('folders', () => {
  it('are pushed and pulled with the credential of the client', async () => {
    const base = await mkdtemp(join(inject('runDir'), 'folders-'))
    try {
      const model = `<mujoco model="${newName()}"/>`
      await writeFile(join(base, 'arm.xml'), model)
      const name = `${ada.handle}/${newName()}`
      const settings = { cacheDir: join(base, '.cache'), exclude: ['.cache/'] }
      const pushed = await pushFolder(client(), base, name, { ...settings, kind: 'robot' })
      expect(pushed).toMatchObject({ created: true, sent: ['arm.xml'], failed: [] })
      expect((await pullFolder(client(), name, join(base, 'copy'), settings)).fetched).toEqual(['arm.xml'])
      expect(await readFile(join(base, 'copy', 'arm.xml'), 'utf8')).toBe(model)
      await expect(pushFolder(client(), base, 'no-slash', settings)).rejects.toThrow('is not owner/slug')
    } finally {
      await rm(base, { recursive: true, force: true })
    }
  })
})

describe('a hub that fails', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })
  const retry: RetryPolicy = { attempts: 3, baseMs: 1, maxMs: 2, random: () => 0 }

  interface Asked {
    readonly key: unknown
    readonly body: { readonly variables?: unknown }
  }
  /** Answers each request with the next of `answers`. */
  async function failing(...answers: ((response: ServerResponse) => void)[]) {
    const asked: Asked[] = []
    const server = createDouble(async (request: IncomingMessage, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}')
      asked.push({ key: request.headers['idempotency-key'], body })
      answers[asked.length - 1]?.(response)
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { asked, client: createClient({ url, token: 'a-secret', retry }) }
  }
  const busy = (response: ServerResponse) => response.writeHead(503).end('{}')
  const answer = (json: unknown) => (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json))
  const events = (text: string, isWhole: boolean) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`retry: 1\n\n${text}`)
    if (isWhole) response.end()
    else setTimeout(() => response.destroy(), 20)
  }

  it('is asked again under the same Idempotency-Key', async () => {
    const { asked, client: caller } = await failing(busy, busy, answer({ id: 'repo_1' }))
    expect(await caller.v1.createRepo({ body: { kind: 'robot', slug: 'arm' } })).toEqual({ id: 'repo_1' })
    expect([asked.length, new Set(asked.map(({ key }) => key)).size]).toEqual([3, 1])
  })

  it('is asked a query again when its answer says that there is room', async () => {
    const problem = { type: '/problems/rate.limited', detail: 'Slowly.', unit: 'objects', limit: 5, used: 6, left: 0 }
    const refusal = (wait: object) =>
      answer({ errors: [{ message: 'x', extensions: { status: 429, problem: { ...problem, ...wait } } }] })
    const soon = await failing(refusal({ retry_after_s: 1 }), answer({ data: { viewer: null } }))
    const began = performance.now()
    expect(await soon.client.graphql('{ viewer { kind } }')).toEqual({ viewer: null })
    expect(performance.now() - began).toBeGreaterThan(990)
    const late = await failing(refusal({ retry_after_s: 3600 }))
    await expect(late.client.graphql('{ viewer { kind } }')).rejects.toMatchObject({
      status: 429,
      retryAfterS: 3600,
      limit: { unit: 'objects', limit: 5, used: 6, left: 0, resetsAt: null },
    })
    expect(late.asked.length).toBe(1)
  })

  it('is asked a query again, and never a mutation', async () => {
    const first = await failing(busy, answer({ data: { viewer: null } }))
    expect(await first.client.graphql('{ viewer { kind } }')).toEqual({ viewer: null })
    const second = await failing(busy, answer({ data: {} }))
    await expect(second.client.graphql('mutation { x }')).rejects.toMatchObject({ status: 503 })
    expect(second.asked.length).toBe(1)
  })

  it('cuts a subscription off, which goes on after its last event', async () => {
    const event = (n: number) => `event: next\ndata: {"data":{"count":${n}}}\n\n`
    const broken = events(event(1), false)
    const { asked, client: caller } = await failing(broken, busy, events(`${event(2)}event: complete\ndata:\n\n`, true))
    const seen: number[] = []
    const resume = ({ count }: { count: number }) => ({ after: count })
    for await (const { count } of caller.subscribe<{ count: number }>('subscription { count }', {}, { resume }))
      seen.push(count)
    expect(seen).toEqual([1, 2])
    expect(asked.map(({ body }) => body.variables)).toEqual([{}, { after: 1 }, { after: 1 }])
  })

  it('learns the token from requests alone: the client does not show it', async () => {
    const { client: caller } = await failing()
    expect(inspect(caller, { depth: 5 }) + JSON.stringify(caller)).not.toContain('a-secret')
    expect(() => createClient({ url: 'hub.example.com' })).toThrow('is not the http(s) URL of a hub')
  })
})
