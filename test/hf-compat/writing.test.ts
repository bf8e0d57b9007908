import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readCommit } from '../../hf-compat/files/read-commit.ts'
import { contractHub, type Json, newName, type Person, sha256Of, type Who } from '../support/hub.ts'
import { hfClient, refusal } from './support/hf-client.ts'

const hub = contractHub()
const hf = hfClient(hub)

type Line = readonly [key: string, value: Json]
const inline = (path: string, text: string): Line => [
  'file',
  { path, content: Buffer.from(text).toString('base64'), encoding: 'base64' },
]

/** The lines of a commit after its header. */
function commit(who: Who, name: string, lines: readonly Line[], header: Json = { summary: 'a change' }) {
  const all = [['header', header] as const, ...lines]
  const body = all.map(([key, value]) => `${JSON.stringify({ key, value })}\n`).join('')
  const path = `/api/datasets/${name}/commit/main`
  return hf.request(who, 'POST', path, { headers: { 'content-type': 'application/x-ndjson' }, body })
}

const pathsOf = async (who: Who, name: string) =>
  (await hf.get(who, `/api/datasets/${name}`)).json.siblings.map((file: { rfilename: string }) => file.rfilename)

const shaOf = async (who: Who, name: string): Promise<string> =>
  (await hf.get(who, `/api/datasets/${name}?expand=sha`)).json.sha

/** How each of some bytes is to be sent by LFS, as the Python client asks. */
async function lfsBatch(person: Person, name: string, contents: readonly Buffer[]): Promise<Json[]> {
  const batch = await hf.request(person, 'POST', `/datasets/${name}.git/info/lfs/objects/batch`, {
    headers: { accept: 'application/vnd.git-lfs+json', 'content-type': 'application/vnd.git-lfs+json' },
    body: JSON.stringify({
      operation: 'upload',
      transfers: ['basic', 'multipart'],
      objects: contents.map((bytes) => ({ oid: sha256Of(bytes), size: bytes.length })),
      hash_algo: 'sha256',
      ref: { name: 'main' },
    }),
  })
  return batch.json.objects
}

/** Sends bytes by LFS. */
async function sendLfs(person: Person, name: string, bytes: Buffer): Promise<Json> {
  const [object] = await lfsBatch(person, name, [bytes])
  if (object.actions) expect((await hub.put(object.actions.upload.href, new Uint8Array(bytes))).status).toBe(200)
  return object
}

describe('preupload', () => {
  it('sends small files in the commit, and large ones and those that may be unchanged by LFS', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, { 'same.txt': 'four', empty: '' })
    const files = [
      { path: 'new.txt', size: 4, sample: 'aaaa' },
      { path: 'same.txt', size: 4, sample: 'aaaa' },
      { path: 'large.bin', size: 65_537, sample: 'aaaa' },
      { path: 'empty', size: 0, sample: '' },
    ]
    const answer = await hf.json(person, 'POST', `/api/datasets/${name}/preupload/main`, { files, gitAttributes: '' })
    expect(answer.json).toEqual({
      commitOid: await shaOf(person, name),
      files: [
        { path: 'new.txt', shouldIgnore: false, uploadMode: 'regular' },
        { path: 'same.txt', shouldIgnore: false, uploadMode: 'lfs', oid: sha256Of('four') },
        { path: 'large.bin', shouldIgnore: false, uploadMode: 'lfs' },
        {
          path: 'empty',
          shouldIgnore: false,
          uploadMode: 'regular',
          oid: createHash('sha1').update('blob 0\0').digest('hex'),
        },
      ],
    })
    const to = (rest: string) => hf.json(person, 'POST', `/api/datasets/${name}/preupload/${rest}`, { files })
    expect(refusal(await to('dev'))).toEqual([404, 'RevisionNotFound'])
    expect(refusal(await to('main?create_pr=1'))).toEqual([400, 'NotSupported'])
  })
})

describe('a commit', () => {
  it('adds, deletes and copies at once, deletes first', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, { 'old/a': 'a', 'old/b': 'b', keep: 'k', 'was-a-file': 'f' })
    const bytes = randomBytes(100_000)
    expect(await sendLfs(person, name, bytes)).toHaveProperty('actions.upload.href')
    const done = await commit(
      person,
      name,
      [
        inline('was-a-file/now-a-folder', 'x'),
        inline('empty', ''),
        ['lfsFile', { path: 'large.bin', algo: 'sha256', oid: sha256Of(bytes), size: bytes.length }],
        ['lfsFile', { path: 'copy-of-keep', algo: 'sha256', oid: sha256Of('k') }],
        ['deletedFile', { path: 'was-a-file' }],
        ['deletedFolder', { path: 'old/' }],
      ],
      { summary: 'many', description: 'at once' },
    )
    expect([done.status, done.json]).toEqual([
      200,
      {
        success: true,
        commitOid: await shaOf(person, name),
        commitUrl: `${hub.running.url}/datasets/${name}/commit/${done.json.commitOid}`,
        pullRequestUrl: null,
        hookOutput: '',
      },
    ])
    expect(await pathsOf(person, name)).toEqual([
      'copy-of-keep',
      'empty',
      'keep',
      'large.bin',
      'was-a-file/now-a-folder',
    ])
    const [last] = (await hf.get(person, `/api/datasets/${name}/commits/main`)).json
    expect(last).toMatchObject({
      id: done.json.commitOid,
      title: 'many',
      message: 'at once',
      authors: [{ user: person.handle }],
    })
    // The bytes are in the repo: nothing has to be sent.
    expect(await sendLfs(person, name, bytes)).toEqual({ oid: sha256Of(bytes), size: bytes.length })
  })

  it('makes all of its changes or none', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, { a: 'a' })
    const before = await shaOf(person, name)
    const refused: readonly (readonly [Line, number, string])[] = [
      [inline('../x', 'x'), 400, 'ValidationFailed'],
      [['deletedFile', { path: 'nothing' }], 404, 'EntryNotFound'],
      [['lfsFile', { path: 'l', algo: 'sha256', oid: 'f'.repeat(64), size: 1 }], 400, 'UploadPartMissing'],
      [['rename', { path: 'l' }], 400, 'BadRequest'],
      [['file', { path: 7 }], 400, 'BadRequest'],
      [inline('big', 'x'.repeat(65_537)), 413, 'TooLarge'],
      [inline('a/b', 'x'), 409, 'ConflictPath'],
    ]
    for (const [line, ...error] of refused)
      expect([line[0], ...refusal(await commit(person, name, [inline('ok', 'x'), line]))]).toEqual([line[0], ...error])
    expect(await shaOf(person, name)).toBe(before)
    const stale = await commit(person, name, [inline('b', 'b')], { summary: 's', parentCommit: 'f'.repeat(40) })
    expect(refusal(stale)).toEqual([412, 'PreconditionFailed'])
    expect(stale.json.error).toContain(before)
    const fresh = await commit(person, name, [inline('b', 'b')], { summary: 's', parentCommit: before })
    expect(fresh.status).toBe(200)
    expect(await pathsOf(person, name)).toEqual(['a', 'b'])
  })

  it('of two writers who know the same state is made by one', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, { a: 'a' })
    const parentCommit = await shaOf(person, name)
    const writers = ['b', 'c', 'd', 'e'].map((path) =>
      commit(person, name, [inline(path, path)], { summary: path, parentCommit }),
    )
    const statuses = (await Promise.all(writers)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, 412, 412, 412])
    expect(await pathsOf(person, name)).toHaveLength(2)
  })

  it('with bytes that are not what their digest says is refused', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, { a: 'a' })
    const [bytes, other] = [randomBytes(70_000), randomBytes(70_000)]
    const oid = sha256Of(bytes)
    const batch = await hf.json(person, 'POST', `/datasets/${name}.git/info/lfs/objects/batch`, {
      operation: 'upload',
      objects: [{ oid, size: bytes.length }],
    })
    await hub.put(batch.json.objects[0].actions.upload.href, new Uint8Array(other))
    const line: Line = ['lfsFile', { path: 'x', algo: 'sha256', oid, size: bytes.length }]
    // All of it is there, so that it is not asked for again: that it is wrong is known once it is read.
    expect(await sendLfs(person, name, bytes)).toEqual({ oid, size: bytes.length })
    expect(refusal(await commit(person, name, [line]))).toEqual([400, 'UploadSha256Mismatch'])
    expect(await pathsOf(person, name)).toEqual(['a'])
    expect(await sendLfs(person, name, bytes)).toHaveProperty('actions.upload.href')
    expect((await commit(person, name, [line])).status).toBe(200)
  })

  it('is for those who can write the repo', async () => {
    const person = await hub.person()
    const name = await hub.repo(person, { visibility: 'public' })
    const line = inline('x', 'x')
    expect(refusal(await commit(null, name, [line]))).toEqual([401, 'AuthMissing'])
    expect(refusal(await commit(await hub.person(), name, [line]))).toEqual([403, 'ForbiddenScope'])
    expect(refusal(await commit(await hub.key(person, { scope: 'read' }), name, [line]))).toEqual([
      403,
      'ForbiddenScope',
    ])
    expect(refusal(await commit(person, `${person.handle}/${newName()}`, [line]))).toEqual([404, 'RepoNotFound'])
  })

  it('of a client that was interrupted after it had sent a file needs no byte of it again', async () => {
    const person = await hub.person()
    const name = await hub.repo(person)
    const [sent, half] = [randomBytes(70_000), randomBytes(70_000)]
    expect(await sendLfs(person, name, sent)).toHaveProperty('actions.upload.href')
    const again = await lfsBatch(person, name, [sent, half])
    expect(again.map((object) => 'actions' in object)).toEqual([false, true])
    const line = (path: string, bytes: Buffer): Line => [
      'lfsFile',
      { path, algo: 'sha256', oid: sha256Of(bytes), size: bytes.length },
    ]
    expect(refusal(await commit(person, name, [line('a', sent), line('b', half)]))).toEqual([400, 'UploadPartMissing'])
    expect(await pathsOf(person, name)).toEqual([])
    expect((await commit(person, name, [line('a', sent)])).status).toBe(200)
  })

  it('of an agent may replace files, and its tag stays where it is', async () => {
    const person = await hub.person()
    const name = await hub.repo(person)
    const agent = await hub.key(person, { agent: true })
    const tag = `/api/datasets/${name}/tag/`
    const push = async (text: string) => [
      (await commit(agent, name, [inline('a', text)])).status,
      refusal(await hf.request(agent, 'DELETE', `${tag}v3.0`)),
      (await hf.json(agent, 'POST', `${tag}main`, { tag: 'v3.0' })).status,
    ]
    expect(await push('one')).toEqual([200, [403, 'ForbiddenAgent'], 200])
    expect(await push('two')).toEqual([200, [403, 'ForbiddenAgent'], 409])
  })

  it('has at most 100,000 lines', async () => {
    const person = await hub.person()
    const name = await hub.repo(person)
    const line = `${JSON.stringify({ key: 'deletedFile', value: { path: 'x'.repeat(200) } })}\n`
    const header = `${JSON.stringify({ key: 'header', value: { summary: 'too many' } })}\n`
    const init = { headers: { 'content-type': 'application/x-ndjson' }, body: header + line.repeat(100_000) }
    const answer = await hf.request(person, 'POST', `/api/datasets/${name}/commit/main`, init)
    expect(refusal(answer)).toEqual([413, 'TooLarge'])
    expect(answer.headers.get('x-error-message')).toContain('100000 lines')
  })

  it('counts empty lines too, of which a body could have any number', async () => {
    const person = await hub.person()
    const name = await hub.repo(person)
    const header = `${JSON.stringify({ key: 'header', value: { summary: 'empty lines' } })}\n`
    const init = { headers: { 'content-type': 'application/x-ndjson' }, body: header + '\n'.repeat(100_001) }
    const answer = await hf.request(person, 'POST', `/api/datasets/${name}/commit/main`, init)
    expect(refusal(answer)).toEqual([413, 'TooLarge'])
    const few = { ...init, body: `${header}\n\n` }
    expect((await hf.request(person, 'POST', `/api/datasets/${name}/commit/main`, few)).status).toBe(200)
  })

  it('whose paths are too deep together is refused before they are compared', async () => {
    const person = await hub.person()
    const name = await hub.repo(person)
    const lines = Array.from({ length: 500 }, (_, index): Line => inline(`${index}${'/a'.repeat(500)}`, 'x'))
    const answer = await commit(person, name, lines)
    expect(refusal(answer)).toEqual([413, 'TooLarge'])
    expect(answer.headers.get('x-error-message')).toContain('too deep')
    // The same number of paths in one deep folder has its folders once.
    const shared = lines.map((_, index): Line => inline(`x${'/a'.repeat(500)}/${index}`, 'x'))
    expect((await commit(person, name, shared)).status).toBe(200)
  })
})

describe('what a commit keeps of its lines', () => {
  async function* bodyOf(lines: readonly Line[]) {
    for (const [key, value] of lines) yield Buffer.from(`${JSON.stringify({ key, value })}\n`)
  }

  it('counts as held by the caller, by the length of its paths', async () => {
    const lines: Line[] = Array.from({ length: 2000 }, (_, index) => ['deletedFile', { path: `${index}`.padEnd(1000) }])
    let heldBytes = 0
    const hold = (bytes: number) => {
      heldBytes += bytes
    }
    const read = await readCommit(bodyOf([['header', { summary: 'x' }], ...lines]), async () => [], hold)
    expect(read.delete).toHaveLength(2000)
    expect(heldBytes).toBeGreaterThan(8 * 1024 * 1024 + 2000 * 2000)
    expect(heldBytes).toBeLessThan(8 * 1024 * 1024 + 2000 * 3000)
  })

  it('has at most 2,000,000 segments', async () => {
    const path = 'a/'.repeat(499).concat('a')
    const lines = Array.from({ length: 4001 }, (): Line => ['deletedFile', { path }])
    const read = (count: number) =>
      readCommit(
        bodyOf([['header', { summary: 'x' }], ...lines.slice(0, count)]),
        async () => [],
        () => undefined,
      )
    await expect(read(3999)).resolves.toMatchObject({ message: 'x' })
    await expect(read(4001)).rejects.toMatchObject({ type: 'too_large' })
  })

  it('ends the commit where the caller may hold no more', async () => {
    const full = new Error('full')
    const hold = () => {
      throw full
    }
    await expect(readCommit(bodyOf([['header', { summary: 'x' }]]), async () => [], hold)).rejects.toBe(full)
  })
})
