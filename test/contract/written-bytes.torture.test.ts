/** Rows that no quota of storage counts: whatever a request makes of them, its account may write only so many bytes of them. */
import { randomBytes } from 'node:crypto'
import { oneIn } from '@hub/testing/torture'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, contractHub, type Json, newName, type Person } from '../support/hub.ts'

const KIB = 1024
const MIB = 1024 * KIB
/** An eighth of a day's. */
const AT_ONCE = 2 * MIB
const hub = contractHub({ RATE_LIMIT_PER_MINUTE: '1000000', WRITTEN_BYTES_PER_DAY: String(8 * AT_ONCE) })
let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})

/** Does not compress. */
const noise = (bytes: number) => randomBytes(bytes / 2).toString('hex')
const recipe = (bytes: number) => ({ template: 'act', hyperparams: { note: noise(bytes) } })

interface Attack {
  readonly what: string
  /** Makes what is needed, and returns the request that is sent again and again. */
  readonly begin: (key: string) => Promise<(at: number) => Promise<Answer>>
}

const posting = (what: string, path: string, body: () => Json, keyed = false): Attack => ({
  what,
  begin: async (key) => (at) => hub.call(key, 'POST', path, body(), keyed ? { 'idempotency-key': `key-${at}` } : {}),
})
const onRepo = (what: string, kind: string, method: string, path: string, body: () => Json): Attack => ({
  what,
  begin: async (key) => {
    const slug = newName('repo')
    const { json } = await hub.call(key, 'POST', '/v1/repos', { kind, slug })
    return () => hub.call(key, method, path.replace(':repo', json.full_name), body())
  },
})

const attacks: readonly Attack[] = [
  posting('recipes', '/v1/runs', () => ({ recipe: recipe(60 * KIB) })),
  posting('recipes that are stored with their answers', '/v1/runs', () => ({ recipe: recipe(60 * KIB) }), true),
  posting('runs that are started', '/v1/runs/start', () => ({ recipe: recipe(60 * KIB), worker: 'w' })),
  posting('runs that are imported', '/v1/runs/import', () => ({
    artifacts: { config_yaml: 'a: 1', metrics_summary: 'none' },
    hyperparams: { note: noise(60 * KIB) },
  })),
  posting('repos with descriptions', '/v1/repos', () => ({
    kind: 'dataset',
    slug: newName('r'),
    description: noise(4000),
  })),
  onRepo('descriptions', 'dataset', 'PATCH', '/v1/repos/:repo', () => ({ description: noise(4000) })),
  onRepo('cards', 'robot', 'PUT', '/v1/robots/:repo/card', () => ({
    dof: 1,
    actuators: [],
    description_md: noise(60 * KIB),
  })),
  {
    what: 'mutations of the graph',
    begin: async (key) => async () => {
      const query = `mutation ($input: CreateRunInput!) { createRun(input: $input) { result { ... on Run { id } } } }`
      const body = JSON.stringify({ query, variables: { input: { recipe: recipe(60 * KIB) } } })
      return hub.send(key, 'POST', '/graphql', {
        headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
        body,
      })
    },
  },
]

const databaseBytes = async () =>
  (await hub.sql<{ bytes: number }>('select pg_database_size(current_database()) as bytes'))[0]?.bytes ?? 0

async function untilRefused(
  send: (at: number) => Promise<Answer>,
): Promise<{ readonly refused: Answer; readonly sent: number }> {
  for (let sent = 0; sent < 5000; sent += 1) {
    const answer = await send(sent)
    if (answer.status >= 400 || answer.json?.errors) return { refused: answer, sent }
  }
  throw new Error('It was never refused.')
}

describe('a key that sends nothing but', () => {
  it.each(oneIn(2, attacks).map((attack) => [attack.what, attack] as const))(
    '%s is refused after so many bytes, and the database grows by no more than six times as much',
    async (what, { begin }) => {
      const key = await hub.key(await hub.person(), { scope: 'train' })
      const send = await begin(key)
      const before = await databaseBytes()
      const { refused, sent } = await untilRefused(send)
      const grown = (await databaseBytes()) - before
      const problem = refused.json.errors?.[0]?.extensions?.problem ?? refused.json
      expect([what, sent, problem.detail]).toEqual([
        what,
        sent,
        expect.stringMatching(/^An account may write 2097152 bytes of rows/),
      ])
      expect(problem).toMatchObject({
        status: 429,
        unit: 'bytes',
        limit: AT_ONCE,
        errors: [{ limit: { name: 'account-written' } }],
      })
      expect(sent).toBeGreaterThan(10)
      // Descriptions can be searched: their trigrams take most.
      expect(grown).toBeLessThan(6 * AT_ONCE)
    },
  )
})

describe('an account that has written so much', () => {
  it('reads, and its person revokes the key; others write', async () => {
    const eve = await hub.person()
    const key = await hub.key(eve, { scope: 'train' })
    const made = await hub.call(key, 'POST', '/v1/runs', { recipe: recipe(KIB) })
    await untilRefused(() => hub.call(key, 'POST', '/v1/runs', { recipe: recipe(60 * KIB) }))
    expect((await hub.call(key, 'GET', `/v1/runs/${made.json.id}`)).status).toBe(200)
    expect((await hub.call(ada, 'POST', '/v1/runs', { recipe: recipe(KIB) })).status).toBe(201)
    const keys = await hub.graphql(eve, '{ apiKeys(first: 1) { nodes { id } } }')
    const id = keys.data.apiKeys.nodes[0]?.id
    const revoke = 'mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { key { id } } }'
    const revoked = await hub.graphql(eve, revoke, { id })
    expect(revoked.errors).toBeUndefined()
    expect((await hub.call(key, 'GET', '/v1/me')).status).toBe(401)
  })

  it('is told when to try again, and may then', async () => {
    const key = await hub.key(await hub.person(), { scope: 'train' })
    const { refused } = await untilRefused(() => hub.call(key, 'POST', '/v1/runs', { recipe: recipe(8 * KIB) }))
    const seconds = Number(refused.headers.get('retry-after'))
    // 8 KiB drain in 43 s at 16 MiB a day.
    expect(seconds).toBeGreaterThanOrEqual(1)
    expect(seconds).toBeLessThan(90)
  })
})
