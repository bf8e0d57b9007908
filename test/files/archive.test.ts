import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { needs } from '@hub/testing/needs'
import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_ARCHIVE_FILES } from '../../src/files/limits.ts'
import { contractHub, type Person, sha256Of, type Who } from '../support/hub.ts'
import { noPython } from '../support/python.ts'
import { readZip } from './support/read-zip.ts'

const MIB = 1024 * 1024
/** More than the sockets of both ends hold. */
const LARGE = 32 * MIB
const hub = contractHub({ ARCHIVE_MAX_BYTES: String(LARGE) })
let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})

const open = (who: Who, name: string, query = '', init: RequestInit = {}) => {
  const headers = new Headers(init.headers)
  if (who) headers.set('authorization', `Bearer ${typeof who === 'string' ? who : who.token}`)
  return fetch(`${hub.running.url}/v1/repos/${name}/archive${query}`, { ...init, headers })
}
const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer())
const nameOf = (repo: string) => repo.split('/')[1] ?? ''
const keyOf = async (repo: string, path: string) => {
  const [row] = await hub.sql<{ key: string }>(
    `select b.storage_key as key from files f join blobs b on b.id = f.blob_id join repos r on r.id = f.repo_id
      join accounts o on o.id = r.owner_id where o.handle || '/' || r.slug = $1 and f.path = $2`,
    [repo, path],
  )
  return row?.key ?? ''
}

async function arm() {
  const repo = await hub.repo(ada, { visibility: 'public' })
  const files = {
    'README.md': '# An arm',
    'meshes/a b.stl': 'solid',
    'meshes/ünter/é.bin': Buffer.alloc(70_000, 7),
    empty: '',
  }
  await hub.upload(ada, repo, files)
  return { repo, files }
}

describe('a folder as an archive', needs(noPython), () => {
  it('has the files of the whole repo, with the version as their date, the same bytes each time', async () => {
    const { repo, files } = await arm()
    const answer = await open(null, repo)
    const bytes = await bytesOf(answer)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
    expect(answer.headers.get('content-length')).toBe(String(bytes.length))
    expect(answer.headers.get('content-disposition')).toContain(`filename="${nameOf(repo)}.zip"`)
    const entries = await readZip(bytes)
    expect(entries.map(({ name, sha256, method }) => [name, sha256, method])).toEqual(
      Object.entries(files)
        .map(([path, content]) => [`${nameOf(repo)}/${path}`, sha256Of(content), 0])
        .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)),
    )
    const [{ time }] = (await hub.call(ada, 'GET', `/v1/repos/${repo}/commits`)).json.items
    const second = Math.floor(new Date(time).getTime() / 2000) * 2000
    const [year = 0, month = 0, ...rest] = entries[0]?.date ?? []
    expect(Date.UTC(year, month - 1, ...(rest as [number]))).toBe(second)
    expect(sha256Of(await bytesOf(await open(ada, repo)))).toBe(sha256Of(bytes))
  })

  it('has one folder, of the version that is named, and says its length to HEAD', async () => {
    const { repo } = await arm()
    expect((await hub.call(ada, 'POST', `/v1/repos/${repo}/snapshots`, { name: 'v1' })).status).toBe(201)
    await hub.upload(ada, repo, { 'meshes/a b.stl': 'another solid' })
    const names = async (query: string) =>
      (await readZip(await bytesOf(await open(ada, repo, query)))).map(({ name, size }) => [name, size])
    expect(await names('?path=meshes&at=v1')).toEqual([
      ['meshes/a b.stl', 5],
      ['meshes/ünter/é.bin', 70_000],
    ])
    expect(await names('?path=meshes/')).toEqual([
      ['meshes/a b.stl', 13],
      ['meshes/ünter/é.bin', 70_000],
    ])
    expect(await names('?path=meshes/%C3%BCnter')).toEqual([['ünter/é.bin', 70_000]])
    const head = await open(ada, repo, '?path=meshes', { method: 'HEAD' })
    const whole = await bytesOf(await open(ada, repo, '?path=meshes'))
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.length)])
  })
})

describe('an archive', () => {
  it('is not sent again to a client that has it', async () => {
    const { repo } = await arm()
    const first = await open(ada, repo, '', { method: 'HEAD' })
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    const again = { headers: { 'if-none-match': etag } }
    expect((await open(ada, repo, '', again)).status).toBe(304)
    expect((await open(ada, repo, '?path=meshes', again)).status).toBe(200)
    await hub.upload(ada, repo, { another: '' })
    expect((await open(ada, repo, '', again)).status).toBe(200)
  })

  it('is 404 for a repo that the caller does not see, a version, a folder or a file; 422 for what is not a path', async () => {
    const closed = await hub.repo(ada)
    await hub.upload(ada, closed, { 'a/b': '1' })
    const stranger = await hub.person()
    const status = async (who: Who, query: string) =>
      (await hub.call(who, 'GET', `/v1/repos/${closed}/archive${query}`)).status
    expect([await status(null, ''), await status(stranger, '?path=a'), await status(stranger, '?path=c')]).toEqual([
      404, 404, 404,
    ])
    expect([await status(ada, '?at=v9'), await status(ada, '?path=c'), await status(ada, '?path=a/b')]).toEqual([
      404, 404, 404,
    ])
    expect([await status(ada, '?path=../x'), await status(ada, '?path=/a'), await status(ada, '?at=%20')]).toEqual([
      422, 422, 422,
    ])
    expect([await status(ada, '?path=a&path=b'), await status(ada, '?at=0')]).toEqual([422, 404])
    const { repo } = await arm()
    expect((await hub.call(stranger, 'GET', `/v1/repos/${repo}/archive?at=1`)).status).toBe(403)
    expect((await hub.call(ada, 'POST', `/v1/repos/${repo}/archive`)).status).toBe(405)
  })

  it('has at most so many bytes and files, and past either says how to get them', async () => {
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, {
      'large/a': Buffer.alloc(LARGE),
      'over/a': Buffer.alloc(LARGE),
      'over/b': '1',
      'many/0': '',
    })
    const folder = async (path: string) => {
      const [owner, slug] = repo.split('/')
      const { data } = await hub.graphql(
        ada,
        'query ($owner: String!, $slug: String!, $path: String!, $seq: String!) { repo(owner: $owner, slug: $slug) { at(state: $seq) { folder(path: $path) { fileCount totalBytes archiveFault } } } }',
        { owner, slug, path, seq: '1' },
      )
      return data.repo.at.folder
    }
    expect((await open(ada, repo, '?path=large', { method: 'HEAD' })).status).toBe(200)
    expect(await folder('large')).toEqual({ fileCount: 1, totalBytes: LARGE, archiveFault: null })
    const over = await hub.call(ada, 'GET', `/v1/repos/${repo}/archive?path=over`)
    expect([over.status, over.json.type, over.json.limit, over.json.used, over.json.unit]).toEqual([
      413,
      '/problems/too_large',
      LARGE,
      LARGE + 1,
      'bytes',
    ])
    expect(over.json.detail).toContain(`hub pull ${repo} DIR --include 'over/**'`)
    expect(await folder('over')).toEqual({ fileCount: 2, totalBytes: LARGE + 1, archiveFault: over.json.detail })
    const fill = (from: number, to: number) =>
      hub.sql(
        `insert into files (repo_id, from_seq, path, blob_id) select f.repo_id, 1, 'many/' || n, f.blob_id
          from files f join repos r on r.id = f.repo_id join accounts o on o.id = r.owner_id, generate_series($2::int, $3::int) n
          where o.handle || '/' || r.slug = $1 and f.path = 'many/0'`,
        [repo, from, to],
      )
    await fill(1, MAX_ARCHIVE_FILES - 1)
    expect((await open(ada, repo, '?path=many', { method: 'HEAD' })).status).toBe(200)
    expect(await folder('many')).toMatchObject({ fileCount: MAX_ARCHIVE_FILES, archiveFault: null })
    await fill(MAX_ARCHIVE_FILES, MAX_ARCHIVE_FILES + 5)
    const many = await hub.call(ada, 'GET', `/v1/repos/${repo}/archive?path=many`)
    expect([many.status, many.json.limit, many.json.unit]).toEqual([413, MAX_ARCHIVE_FILES, 'files'])
    expect(await folder('many')).toMatchObject({ fileCount: MAX_ARCHIVE_FILES + 1, archiveFault: many.json.detail })
  })

  it('is sent twice at once to an account; one that is left makes room', async () => {
    const person = await hub.person()
    const repo = await hub.repo(person)
    await hub.upload(person, repo, { large: randomBytes(LARGE) })
    const leaving = [new AbortController(), new AbortController()]
    for (const { signal } of leaving) expect((await open(person, repo, '', { signal })).status).toBe(200)
    const key = await hub.key(person)
    const third = await hub.call(key, 'GET', `/v1/repos/${repo}/archive`)
    expect([third.status, third.json.limit, third.json.unit]).toEqual([429, 2, 'archives'])
    expect(third.headers.get('retry-after')).toBe('10')
    expect((await open(ada, repo)).status).toBe(404)
    leaving[0]?.abort()
    await expect.poll(async () => (await open(key, repo, '', { method: 'HEAD' })).status).toBe(200)
    const { length } = await bytesOf(await open(person, repo))
    expect(length).toBeGreaterThan(LARGE)
    leaving[1]?.abort()
  })

  it('counts for nobody who has left before it was counted', async () => {
    const person = await hub.person()
    const repo = await hub.repo(person)
    await hub.upload(person, repo, { small: '1' })
    const { pool } = hub.running.deps.db
    let gone = 0
    const watch = (_: unknown, response: ServerResponse) => response.once('close', () => (gone += 1))
    hub.running.app.server.on('request', watch)
    const waiting = async () => {
      const { rows } = await pool.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event = 'relation'`,
      )
      return rows[0]?.n
    }
    const holder = await pool.connect()
    await holder.query('begin; lock table repo_changes in access exclusive mode')
    const leaving = [new AbortController(), new AbortController()]
    const left = leaving.map(({ signal }) => open(person, repo, '', { signal }).catch(() => 'left'))
    await expect.poll(waiting).toBe(leaving.length)
    for (const one of leaving) one.abort()
    expect(await Promise.all(left)).toEqual(['left', 'left'])
    await expect.poll(() => gone).toBe(leaving.length)
    hub.running.app.server.off('request', watch)
    await holder.query('rollback')
    holder.release()
    await expect.poll(waiting).toBe(0)
    expect((await open(person, repo)).status).toBe(200)
  })

  it('breaks off where a file is lost, cut or another one', async () => {
    const repo = await hub.repo(ada)
    const store = hub.running.deps.objects
    if (!store) throw new Error('The hub has a store.')
    const write = (key: string, bytes: Buffer) => store.put(key, bytes, { sizeBytes: bytes.length })
    await hub.upload(ada, repo, { 'a/1': 'first', 'a/2': 'second', 'a/3': 'third' })
    const key = await keyOf(repo, 'a/2')
    const read = async () => sha256Of(await bytesOf(await open(ada, repo)))
    const whole = await read()
    for (const spoil of [
      () => write(key, Buffer.from('secone')),
      () => write(key, Buffer.from('sec')),
      () => write(key, Buffer.from('second and more')),
      () => store.delete([key]),
    ]) {
      await store.delete([key])
      await spoil()
      const answer = await open(ada, repo)
      expect(answer.status).toBe(200)
      await expect(answer.arrayBuffer()).rejects.toThrow()
    }
    await write(key, Buffer.from('second'))
    expect(await read()).toBe(whole)
  })
})
