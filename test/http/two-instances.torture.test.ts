/** Two hubs with one database, secret and bucket, started at the same time on empty storage: both give the same responses. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubClient, pullRepo } from '@hub/client/internal'
import { needs } from '@hub/testing/needs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startThrowawayHub, type ThrowawayHub } from '../../scripts/demo/throwaway-hub.ts'
import { hubOnCeph, startCeph } from '../support/ceph.ts'
import { databaseUrl, onServer } from '../support/global-setup.ts'

const ceph = await startCeph()
const title = 'two instances on one database and one bucket'

if ('skipped' in ceph) {
  describe(title, needs(ceph.skipped), () => {
    it('give the same responses', () => undefined)
  })
} else {
  const server = inject('databaseServerUrl')
  const name = `hub_test_${randomBytes(6).toString('hex')}`
  const settings = {
    DATABASE_URL: databaseUrl(server, name),
    HUB_SECRET: randomBytes(32).toString('hex'),
    ...hubOnCeph(ceph.settings),
  }
  const bytes = randomBytes(70_000)
  const repo = { owner: 'hub', slug: 'shared' }
  let a: ThrowawayHub
  let b: ThrowawayHub
  let session: string

  beforeAll(async () => {
    await onServer(server, `create database ${name}`)
    ;[a, b] = await Promise.all([startThrowawayHub(settings), startThrowawayHub(settings)])
    session = String((await a.operator('session', 'add', 'hub')).token)
  })
  afterAll(async () => {
    await Promise.all([a?.close(), b?.close()])
    await onServer(server, `drop database if exists ${name} with (force)`)
  })

  const call = async (
    hub: ThrowawayHub,
    method: string,
    path: string,
    body?: object,
    headers = {},
    token = session,
  ) => {
    const response = await fetch(`${hub.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, json: await response.json() }
  }

  describe(title, () => {
    it('migrate once and create one operator', async () => {
      const client = new pg.Client({ connectionString: settings.DATABASE_URL })
      await client.connect()
      const { rows } = await client.query(`select
        (select count(*) = count(distinct migration_name) and bool_and(finished_at is not null) from _prisma_migrations) as migrated,
        (select count(*)::int from accounts where handle = 'hub') as operators`)
      await client.end()
      expect(rows).toEqual([{ migrated: true, operators: 1 }])
    })

    it('accept sessions and keys created by either', async () => {
      for (const hub of [a, b]) {
        expect((await call(hub, 'GET', '/v1/me')).json).toMatchObject({ kind: 'session', account: { handle: 'hub' } })
      }
      const query = 'mutation { createApiKey(input: { name: "ci", scope: READ }) { token } }'
      const made = await call(a, 'POST', '/graphql', { query })
      expect((await call(b, 'GET', '/v1/me', undefined, {}, made.json.data.createApiKey.token)).json.kind).toBe('key')
    })

    it('give concurrent duplicates under one Idempotency-Key one response', async () => {
      const body = { kind: 'robot', slug: repo.slug }
      const twins = await Promise.all(
        [a, b].map((hub) => call(hub, 'POST', '/v1/repos', body, { 'idempotency-key': 'one' })),
      )
      expect(twins.map((twin) => twin.status)).toEqual([201, 201])
      expect(twins[0]?.json).toEqual(twins[1]?.json)
    })

    it('share an upload: started on one, completed on the other, listed by the first, downloaded from the second', async () => {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const files = [{ path: 'a/b.bin', size: bytes.length, sha256 }]
      const presigned = await call(a, 'POST', '/v1/repos/hub/shared/files/presign-upload', { files })
      const [target] = presigned.json.uploads
      const put = await fetch(target.parts[0].url, { method: 'PUT', body: bytes })
      const parts = [{ part_number: 1, etag: put.headers.get('etag') }]
      const uploads = [{ path: 'a/b.bin', upload_id: target.upload_id, parts }]
      expect((await call(b, 'POST', '/v1/repos/hub/shared/files/complete', { uploads })).status).toBe(200)
      expect((await call(a, 'GET', '/v1/repos/hub/shared/tree')).json.items).toMatchObject([
        { path: 'a/b.bin', sha256 },
      ])
      const dir = await mkdtemp(join(tmpdir(), 'hub-two-'))
      await pullRepo(createHubClient({ url: b.url, token: session }), repo, join(dir, 'out'), { cacheDir: dir })
      expect((await readFile(join(dir, 'out', 'a', 'b.bin'))).equals(bytes)).toBe(true)
      await rm(dir, { recursive: true })
    })

    it('notify a subscriber of one about a change through the other', async () => {
      const { json } = await call(a, 'POST', '/graphql', { query: '{ repo(owner: "hub", slug: "shared") { id } }' })
      const stopped = new AbortController()
      const stream = await fetch(`${a.url}/graphql/stream`, {
        method: 'POST',
        signal: stopped.signal,
        headers: {
          authorization: `Bearer ${session}`,
          'content-type': 'application/json',
          accept: 'text/event-stream',
        },
        body: JSON.stringify({
          query: 'subscription ($id: ID!) { repoUpdated(repoId: $id) { description } }',
          variables: { id: json.data.repo.id },
        }),
      })
      const decoder = new TextDecoder()
      let seen = ''
      for await (const chunk of stream.body ?? []) {
        const before = seen
        seen += decoder.decode(chunk, { stream: true })
        // The first event is the current repo; from then on the subscription is active.
        if (!before.includes('"description":null') && seen.includes('"description":null'))
          await call(b, 'PATCH', '/v1/repos/hub/shared', { description: 'said to B' })
        if (seen.includes('"description":"said to B"')) break
      }
      stopped.abort()
      expect(seen).toContain('"description":"said to B"')
    })
  })
}
