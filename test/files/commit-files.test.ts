/** Commits of many files: all or nothing, in one change, from bytes that were sent ahead. */
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { livePaths } from '../../src/files/commit/live-paths.ts'
import { abortAbandoned } from '../../src/jobs/collect-objects.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { contractHub, type Json, newName, type Person } from '../support/hub.ts'
import { plansOf } from '../support/plans.ts'

const hub = contractHub()
let ada: Person
let bob: Person

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
})

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const named = (bytes: string | Buffer) => ({ sha256: sha256(bytes), size: Buffer.byteLength(bytes) })
const base64 = (text: string) => Buffer.from(text).toString('base64')
const post = (repo: string, route: string, body: unknown, who: Person | string = ada) =>
  hub.call(who, 'POST', `/v1/repos/${repo}/${route}`, body)
const commit = (repo: string, body: Json, who: Person = ada) => post(repo, 'commits', body, who)
const tree = async (repo: string): Promise<Record<string, string | null>> => {
  const { json } = await hub.call(ada, 'GET', `/v1/repos/${repo}/tree`)
  return Object.fromEntries(json.items.map((file: Json) => [file.path, file.sha256]))
}
const paths = async (repo: string) => Object.keys(await tree(repo))
const state = async (repo: string) => (await hub.call(ada, 'GET', `/v1/repos/${repo}`)).json
/** Storage, reservations and pending uploads of an owner, and what they must be by its rows. */
const sums = async (handle: string) => {
  const [row] = await hub.sql(
    `select a.storage_bytes::int as stored, a.reserved_bytes::int as reserved, a.pending_uploads as pending,
      (select coalesce(sum(r.total_bytes + r.snapshot_bytes), 0)::int from repos r where r.owner_id = a.id) as files,
      (select coalesce(sum(u.size), 0)::int from uploads u where u.owner_id = a.id
        and u.state in ('pending', 'completing', 'assembled')) as open,
      (select count(*)::int from uploads u where u.owner_id = a.id
        and u.state in ('pending', 'completing', 'assembled')) as uploads
      from accounts a where a.handle = $1`,
    [handle],
  )
  const { stored, reserved, pending, files, open, uploads } = row as Record<string, number>
  expect({ stored, reserved, pending }).toEqual({ stored: files, reserved: open, pending: uploads })
  return { stored, reserved, pending }
}
/** Presigns and sends bytes without a path. */
async function send(repo: string, bytes: string | Buffer, who: Person = ada) {
  const { json } = await post(repo, 'blobs/presign', { blobs: [named(bytes)] }, who)
  const { upload } = json.blobs[0]
  if (upload === null) return null
  const answer = await hub.put(upload.parts[0].url, new Uint8Array(Buffer.from(bytes)))
  return {
    upload_id: upload.upload_id as string,
    parts: [{ part_number: 1, etag: answer.headers.get('etag') ?? '' }],
  }
}

describe('a commit', () => {
  it('adds, replaces, deletes and copies as one change with its message', async () => {
    const repo = await hub.repo(ada)
    const content = (text: string) => base64(text)
    const first = await commit(repo, {
      message: 'start',
      add: [
        { path: 'a.txt', content: content('one') },
        { path: 'old/x.txt', content: content('x') },
        { path: 'old/deep/y.txt', content: content('y') },
        { path: 'empty', content: '' },
      ],
    })
    expect([first.status, first.json]).toMatchObject([200, { seq: 1, added: 4, changed: 0, removed: 0 }])
    expect(await tree(repo)).toEqual({
      'a.txt': sha256('one'),
      empty: sha256(''),
      'old/deep/y.txt': sha256('y'),
      'old/x.txt': sha256('x'),
    })
    await send(repo, 'two')
    const second = await commit(repo, {
      message: 'rearranged',
      parent_commit: first.json.commit_id,
      add: [
        { path: 'a.txt', ...named('two') },
        { path: 'old', content: content('a file where a folder was') },
      ],
      delete: ['old/', 'empty'],
      copy: [
        { path: 'kept/y.txt', from: 'old/deep/y.txt' },
        { path: 'kept/a.txt', from: 'a.txt', at: first.json.commit_id },
      ],
    })
    expect([second.status, second.json]).toMatchObject([200, { seq: 2, added: 3, changed: 1, removed: 3 }])
    expect(await tree(repo)).toEqual({
      'a.txt': sha256('two'),
      'kept/a.txt': sha256('one'),
      'kept/y.txt': sha256('y'),
      old: sha256('a file where a folder was'),
    })
    const { items } = (await hub.call(ada, 'GET', `/v1/repos/${repo}/commits`)).json
    expect(items.map(({ message, commit_id }: Json) => [message, commit_id])).toEqual([
      ['rearranged', second.json.commit_id],
      ['start', first.json.commit_id],
      [null, expect.any(String)],
    ])
    expect(await sums(ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
  })

  it('that changes nothing is no change, also when it is repeated', async () => {
    const repo = await hub.repo(ada)
    const body = { add: [{ path: 'a.txt', content: base64('same') }] }
    const { json } = await commit(repo, body)
    expect((await commit(repo, body)).json).toEqual({ ...json, added: 0 })
    expect((await commit(repo, {})).json).toEqual({ ...json, added: 0 })
    expect((await state(repo)).commit_id).toBe(json.commit_id)
  })

  it('does not begin where the repo is at another commit', async () => {
    const repo = await hub.repo(ada)
    const { commit_id: empty } = await state(repo)
    const one = await commit(repo, { parent_commit: empty, add: [{ path: 'a', content: base64('1') }] })
    const late = await commit(repo, { parent_commit: empty, add: [{ path: 'b', content: base64('2') }] })
    expect([late.status, late.json.errors[0]]).toMatchObject([
      412,
      { type: 'precondition.failed', loc: ['body', 'parent_commit'], commit_id: one.json.commit_id },
    ])
    expect(await paths(repo)).toEqual(['a'])
  })

  it('of two at once with the same parent, one is made', async () => {
    const repo = await hub.repo(ada)
    const { commit_id: parent } = await state(repo)
    const both = await Promise.all(
      ['a', 'b', 'c', 'd'].map((path) =>
        commit(repo, { parent_commit: parent, add: [{ path, content: base64(path) }] }),
      ),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
    expect(await paths(repo)).toHaveLength(1)
  })

  it.each<[string, Json, number, string, (string | number)[] | null]>([
    [
      'bytes that were not sent',
      { add: [{ path: 'z', ...named('never sent') }] },
      422,
      'upload.part_missing',
      ['add', 0, 'sha256'],
    ],
    ['a file without bytes', { add: [{ path: 'z' }] }, 422, 'validation.required', ['add', 0, 'sha256']],
    [
      'a path that leaves the repo',
      { add: [{ path: '../z', content: '' }] },
      422,
      'validation.path',
      ['add', 0, 'path'],
    ],
    [
      'content that is no base64',
      { add: [{ path: 'z', content: '?' }] },
      422,
      'validation.value',
      ['add', 0, 'content'],
    ],
    [
      'content over 64 KiB',
      { add: [{ path: 'z', content: 'A'.repeat(87_388) }] },
      422,
      'validation.value',
      ['add', 0, 'content'],
    ],
    [
      'a path twice',
      { add: [{ path: 'z', content: '' }], copy: [{ path: 'z', from: 'a.txt' }] },
      422,
      'validation.duplicate',
      ['copy', 0, 'path'],
    ],
    ['a file to delete that is not there', { delete: ['none'] }, 404, 'not_found', ['delete', 0]],
    ['a folder to delete that is not there', { delete: ['a.txt/'] }, 404, 'not_found', ['delete', 0]],
    [
      'a file to copy that is not there',
      { copy: [{ path: 'z', from: 'none' }] },
      404,
      'not_found',
      ['copy', 0, 'from'],
    ],
    ['a state that is not there', { copy: [{ path: 'z', from: 'a.txt', at: 'f'.repeat(40) }] }, 404, 'not_found', null],
    ['a file below a file', { add: [{ path: 'a.txt/z', content: '' }] }, 409, 'conflict.path', ['add', 0, 'path']],
    ['a parent that is no commit id', { parent_commit: 'main' }, 422, 'validation.value', ['parent_commit']],
  ])('%s: nothing of it is done', async (_, bad, status, type, loc) => {
    const repo = await hub.repo(ada)
    const { json } = await commit(repo, { add: [{ path: 'a.txt', content: base64('one') }] })
    const good = { add: [{ path: 'good', content: base64('good') }], delete: ['a.txt'] }
    const both = {
      ...bad,
      add: [...(bad.add ?? []), ...good.add],
      delete: [...(bad.delete ?? []), ...(bad.copy || bad.add?.[0]?.path === 'a.txt/z' ? [] : good.delete)],
    }
    const refused = await commit(repo, both)
    expect([refused.status, refused.json.errors[0].type]).toEqual([status, type])
    if (loc) expect(refused.json.errors[0].loc).toEqual(['body', ...loc])
    expect(await paths(repo)).toEqual(['a.txt'])
    expect((await state(repo)).commit_id).toBe(json.commit_id)
    await sums(ada.handle)
  })

  it('is for those who may write the repo; the key of an agent may', async () => {
    const repo = await hub.repo(ada, { visibility: 'public' })
    expect((await commit(repo, { add: [{ path: 'a', content: '' }] }, bob)).status).toBe(403)
    const agent = await hub.key(ada, { scope: 'write', agent: true })
    expect(
      (await hub.call(agent, 'POST', `/v1/repos/${repo}/commits`, { add: [{ path: 'a', content: '' }] })).status,
    ).toBe(200)
  })

  it('over the quota is refused, and its uploads stay for another try', async () => {
    const carl = await hub.person()
    const repo = await hub.repo(carl)
    await hub.sql(`update accounts set storage_bytes = storage_bytes + 1099511627776 where handle = $1 returning id`, [
      carl.handle,
    ])
    const refused = await commit(repo, { add: [{ path: 'a', content: base64('x') }] }, carl)
    expect([refused.status, refused.json.errors[0].type]).toEqual([413, 'quota.storage'])
    expect((await hub.call(carl, 'GET', `/v1/repos/${repo}/tree`)).json.items).toEqual([])
  })

  it('takes a dataset’s facts from its meta/info.json', async () => {
    const repo = await hub.repo(ada, { kind: 'dataset' })
    const info = JSON.stringify({
      codebase_version: 'v3.0',
      total_episodes: 3,
      total_frames: 30,
      fps: 10,
      robot_type: 'so100',
    })
    await commit(repo, { add: [{ path: 'meta/info.json', content: base64(info) }] })
    expect((await state(repo)).dataset_meta).toMatchObject({ episode_count: 3, total_frames: 30 })
  })

  it('under an Idempotency-Key is done once', async () => {
    const repo = await hub.repo(ada)
    const { commit_id: parent } = await state(repo)
    const body = { parent_commit: parent, add: [{ path: 'a', content: base64('1') }] }
    const again = () => hub.call(ada, 'POST', `/v1/repos/${repo}/commits`, body, { 'idempotency-key': 'one' })
    const [first, second] = [await again(), await again()]
    expect([first.status, second.status, second.json]).toEqual([200, 200, first.json])
  })
})

describe('bytes that are sent ahead', () => {
  it('need no path, resume, and are asked for once', async () => {
    const repo = await hub.repo(ada)
    const bytes = 'sent ahead of their path'
    const presign = async () => (await post(repo, 'blobs/presign', { blobs: [named(bytes)] })).json.blobs[0]
    const first = await presign()
    expect(first).toMatchObject({ ...named(bytes), upload: { part_size: 104_857_600, uploaded: [] } })
    expect((await presign()).upload.upload_id).toBe(first.upload.upload_id)
    const upload = await send(repo, bytes)
    expect((await presign()).upload.uploaded).toEqual([1])
    const done = await post(repo, 'blobs/complete', { uploads: [upload] })
    expect([done.status, done.json.blobs]).toEqual([200, [named(bytes)]])
    expect((await presign()).upload).toBeNull()
    expect(await sums(ada.handle)).toMatchObject({ reserved: Buffer.byteLength(bytes), pending: 1 })
    const made = await commit(repo, {
      add: [
        { path: 'x.txt', ...named(bytes) },
        { path: 'y.json', ...named(bytes) },
      ],
    })
    expect(made.status).toBe(200)
    const { items } = (await hub.call(ada, 'GET', `/v1/repos/${repo}/tree`)).json
    expect(items.map(({ path, mime }: Json) => [path, mime])).toEqual([
      ['x.txt', 'text/plain'],
      ['y.json', 'application/json'],
    ])
    expect(await sums(ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
  })

  it('with another digest are rejected, by a completion and by a commit', async () => {
    const repo = await hub.repo(ada)
    const claim = async (text: string) => {
      const { json } = await post(repo, 'blobs/presign', { blobs: [{ sha256: sha256(text), size: 3 }] })
      const { upload } = json.blobs[0]
      const { headers } = await hub.put(upload.parts[0].url, 'not')
      return { upload_id: upload.upload_id, parts: [{ part_number: 1, etag: headers.get('etag') }] }
    }
    const done = await post(repo, 'blobs/complete', { uploads: [await claim('yes')] })
    expect([done.status, done.json.errors[0].type]).toEqual([422, 'upload.sha256_mismatch'])
    await claim('yep')
    const refused = await commit(repo, { add: [{ path: 'a', sha256: sha256('yep'), size: 3 }] })
    expect([refused.status, refused.json.errors[0].type]).toEqual([422, 'upload.sha256_mismatch'])
    expect(await paths(repo)).toEqual([])
    expect(await sums(ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
  })

  it('that a stranger has in a private repo are asked for like new ones, those that one can read are not', async () => {
    const secret = 'bytes of a private repo'
    const shown = 'bytes of a public repo'
    const hidden = await hub.repo(bob)
    await hub.upload(bob, hidden, { 'a.txt': secret })
    await hub.upload(bob, await hub.repo(bob, { visibility: 'public' }), { 'a.txt': shown })
    const repo = await hub.repo(ada)
    const { json } = await post(repo, 'blobs/presign', { blobs: [named(secret), named(shown)] })
    expect(json.blobs.map(({ upload }: Json) => upload === null)).toEqual([false, true])
    expect((await commit(repo, { add: [{ path: 'a', ...named(secret) }] })).status).toBe(422)
    expect((await commit(repo, { add: [{ path: 'a', ...named(shown) }] })).status).toBe(200)
    await hub.call(ada, 'DELETE', `/v1/repos/${repo}/files/uploads/${json.blobs[0].upload.upload_id}`)
    expect(await sums(ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
  })

  it('in a request are stored once, and only in their own repo', async () => {
    const [repo, other] = [await hub.repo(ada), await hub.repo(ada)]
    // Of this test alone: bytes that another repo of hers has can be named there.
    const [first, second] = [newName(), newName()]
    const contents = [first, second, first, ''].map(base64)
    const { json } = await post(repo, 'blobs', { contents })
    expect(json.blobs).toEqual([first, second, first, ''].map(named))
    await post(repo, 'blobs', { contents })
    expect(await sums(ada.handle)).toMatchObject({ pending: 3 })
    const add = json.blobs.map((blob: Json, index: number) => ({ path: `${index}.txt`, ...blob }))
    expect((await commit(other, { add })).status).toBe(422)
    expect((await commit(repo, { add })).json).toMatchObject({ added: 4 })
    expect(await sums(ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
  })
})

it('bytes that no commit names are collected like any abandoned upload', async () => {
  const dora = await hub.person()
  const repo = await hub.repo(dora)
  await post(repo, 'blobs', { contents: [base64('never named')] }, dora)
  await post(repo, 'blobs/presign', { blobs: [named('never sent')] }, dora)
  expect(await sums(dora.handle)).toMatchObject({ reserved: 21, pending: 2 })
  await hub.sql(`update uploads set touched_at = now() - interval '8 days' where owner_id = $1 returning id`, [dora.id])
  const { deps } = hub.running
  if (!deps.objects) throw new Error('The hub of the test has a store.')
  await abortAbandoned(deps, deps.objects, new AbortController().signal)
  expect(await sums(dora.handle)).toMatchObject({ stored: 0, reserved: 0, pending: 0 })
  const late = await commit(repo, { add: [{ path: 'a', ...named('never named') }] }, dora)
  expect([late.status, late.json.errors[0].type]).toEqual([422, 'upload.part_missing'])
})

it('a request whose client goes in the middle does all of a commit or nothing', async () => {
  const repo = await hub.repo(ada)
  const { commit_id: empty } = await state(repo)
  const add = Array.from({ length: 200 }, (_, index) => ({ path: `f${index}`, content: base64(`${repo} ${index}`) }))
  const gone = new AbortController()
  const request = hub.send(ada, 'POST', `/v1/repos/${repo}/commits`, {
    body: JSON.stringify({ add }),
    headers: { 'content-type': 'application/json' },
    signal: gone.signal,
  })
  setImmediate(() => gone.abort())
  await request.catch(() => null)
  await expect
    .poll(
      async () => {
        const { seq } = (await hub.sql('select seq from repos where slug = $1', [repo.split('/')[1]]))[0] as {
          seq: number
        }
        return [(await paths(repo)).length, seq]
      },
      { timeout: 20_000 },
    )
    .toSatisfy(([files, seq]: [number, number]) => (files === 0 && seq === 0) || (files === 200 && seq === 1))
  // The first request may still hold its uploads: 409 until it has let go of them.
  await expect.poll(async () => (await commit(repo, { add })).status, { timeout: 20_000 }).toBe(200)
  expect((await commit(repo, { add })).json.seq).toBe(1)
  expect((await state(repo)).commit_id).not.toBe(empty)
  expect(await paths(repo)).toHaveLength(200)
})

it('of the same bytes that two began to send, a commit takes those of its own account', async () => {
  const org = await hub.org([ada, bob].map(({ handle }) => ({ user: handle, role: 'owner' as const })))
  const { json } = await hub.call(ada, 'POST', '/v1/repos', { kind: 'dataset', owner: org, slug: newName() })
  const repo = `${json.owner.handle}/${json.slug}`
  await post(repo, 'blobs/presign', { blobs: [named('of both')] })
  await send(repo, 'of both', bob)
  expect((await commit(repo, { add: [{ path: 'a', ...named('of both') }] }, bob)).status).toBe(200)
})

it('commits of the same new bytes at once are all made', async () => {
  const repo = await hub.repo(ada)
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, index) => commit(repo, { add: [{ path: `p${index}`, content: base64(repo) }] })),
  )
  expect(made.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(await paths(repo)).toHaveLength(8)
  expect(await sums(ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
})

it('each deleted folder is a range of the index, and a commit deletes a thousand of them', async () => {
  const repo = await hub.repo(ada)
  const add = Array.from({ length: 2000 }, (_, index) => ({ path: `d${index}/f`, content: '' }))
  for (let from = 0; from < add.length; from += 1000)
    expect((await commit(repo, { add: add.slice(from, from + 1000) })).status).toBe(200)
  const { id: repoId } = await state(repo)
  const [lowers, uppers] = [add.map(({ path }) => path.slice(0, -1)), add.map(({ path }) => path.replace('/f', '0'))]
  const values = orderedValues(livePaths, { repoId, paths: [], lowers, uppers })
  for (const plan of await plansOf(hub.running.deps.db, livePaths.text, values)) {
    const ranges = plan.filter(
      (node) => node['Index Name'] === 'files_live' && Number(node['Actual Loops']) === add.length,
    )
    expect(ranges).toHaveLength(1)
  }
  expect((await commit(repo, { delete: lowers })).status).toBe(413)
  expect((await commit(repo, { delete: lowers.slice(0, 1000) })).json).toMatchObject({ removed: 1000 })
})

it('folders inside of folders are deleted once, and each has to be there', async () => {
  const repo = await hub.repo(ada)
  const add = ['d/e/f/1', 'd/e/2', 'd-e/3', 'd0', '\uff5e/x', '\u{1f600}/y'].map((path) => ({ path, content: '' }))
  await commit(repo, { add })
  const folders = ['\uff5e/', 'd/e/f/', 'd/', 'd/e/', '\u{1f600}/']
  const refused = await commit(repo, { delete: [...folders, 'd/f/', 'd-/'] })
  expect([refused.status, refused.json.errors.map(({ loc }: Json) => loc)]).toEqual([
    404,
    [
      ['body', 'delete', 5],
      ['body', 'delete', 6],
    ],
  ])
  expect((await commit(repo, { delete: folders })).json).toMatchObject({ removed: 4 })
  expect(await paths(repo)).toEqual(['d-e/3', 'd0'])
})

it('a commit of thousands of files takes as many statements as one of few', async () => {
  const repo = await hub.repo(ada)
  await commit(repo, { add: [{ path: 'seed', content: base64('seed') }] })
  const add = Array.from({ length: 3000 }, (_, index) => ({ path: `d${index % 10}/f${index}`, ...named('seed') }))
  expect((await commit(repo, { add })).json).toMatchObject({ added: 3000 })
  expect((await commit(repo, { delete: ['d3/', 'd4/', 'd5/f5'] })).json).toMatchObject({ removed: 601 })
  expect((await state(repo)).file_summary.count).toBe(2400)
  await sums(ada.handle)
})
