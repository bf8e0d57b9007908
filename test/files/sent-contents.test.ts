/** Bytes that are sent ahead of their commit, and commits of many files and folders. */
import { describe, expect, it } from 'vitest'
import { livePaths } from '../../src/files/commit/live-paths.ts'
import { closeFiles } from '../../src/files/versions/record-change.ts'
import { abortAbandoned } from '../../src/jobs/collect-objects.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { type Json, newName } from '../support/hub.ts'
import { plansOf } from '../support/plans.ts'
import { commitCalls } from './support/commit-calls.ts'

const lab = commitCalls()
const { hub, sha256, named, base64, post, commit, paths, state, sums, send } = lab

describe('bytes that are sent ahead', () => {
  it('need no path, resume, and are asked for once', async () => {
    const repo = await hub.repo(lab.ada)
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
    expect(await sums(lab.ada.handle)).toMatchObject({ reserved: Buffer.byteLength(bytes), pending: 1 })
    const made = await commit(repo, {
      add: [
        { path: 'x.txt', ...named(bytes) },
        { path: 'y.json', ...named(bytes) },
      ],
    })
    expect(made.status).toBe(200)
    const { items } = (await hub.call(lab.ada, 'GET', `/v1/repos/${repo}/tree`)).json
    expect(items.map(({ path, mime }: Json) => [path, mime])).toEqual([
      ['x.txt', 'text/plain'],
      ['y.json', 'application/json'],
    ])
    expect(await sums(lab.ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
  })

  it('with another digest are rejected, by a completion and by a commit', async () => {
    const repo = await hub.repo(lab.ada)
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
    expect(await sums(lab.ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
  })

  it('that a stranger has in a private repo are asked for like new ones, those that one can read are not', async () => {
    const secret = 'bytes of a private repo'
    const shown = 'bytes of a public repo'
    const hidden = await hub.repo(lab.bob)
    await hub.upload(lab.bob, hidden, { 'a.txt': secret })
    await hub.upload(lab.bob, await hub.repo(lab.bob, { visibility: 'public' }), { 'a.txt': shown })
    const repo = await hub.repo(lab.ada)
    const { json } = await post(repo, 'blobs/presign', { blobs: [named(secret), named(shown)] })
    expect(json.blobs.map(({ upload }: Json) => upload === null)).toEqual([false, true])
    expect((await commit(repo, { add: [{ path: 'a', ...named(secret) }] })).status).toBe(422)
    expect((await commit(repo, { add: [{ path: 'a', ...named(shown) }] })).status).toBe(200)
    await hub.call(lab.ada, 'DELETE', `/v1/repos/${repo}/files/uploads/${json.blobs[0].upload.upload_id}`)
    expect(await sums(lab.ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
  })

  it('in a request are stored once, and only in their own repo', async () => {
    const [repo, other] = [await hub.repo(lab.ada), await hub.repo(lab.ada)]
    // Of this test alone: bytes that another repo of hers has can be named there.
    const [first, second] = [newName(), newName()]
    const contents = [first, second, first, ''].map(base64)
    const { json } = await post(repo, 'blobs', { contents })
    expect(json.blobs).toEqual([first, second, first, ''].map(named))
    await post(repo, 'blobs', { contents })
    expect(await sums(lab.ada.handle)).toMatchObject({ pending: 3 })
    const add = json.blobs.map((blob: Json, index: number) => ({ path: `${index}.txt`, ...blob }))
    expect((await commit(other, { add })).status).toBe(422)
    expect((await commit(repo, { add })).json).toMatchObject({ added: 4 })
    expect(await sums(lab.ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
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
  const repo = await hub.repo(lab.ada)
  const { commit_id: empty } = await state(repo)
  const add = Array.from({ length: 200 }, (_, index) => ({ path: `f${index}`, content: base64(`${repo} ${index}`) }))
  const gone = new AbortController()
  const request = hub.send(lab.ada, 'POST', `/v1/repos/${repo}/commits`, {
    body: JSON.stringify({ add }),
    headers: { 'content-type': 'application/json' },
    signal: gone.signal,
  })
  setImmediate(() => gone.abort())
  await request.catch(() => null)
  await expect
    .poll(async () => {
      const { seq } = (await hub.sql('select seq from repos where slug = $1', [repo.split('/')[1]]))[0] as {
        seq: number
      }
      return [(await paths(repo)).length, seq]
    })
    .toSatisfy(([files, seq]: [number, number]) => (files === 0 && seq === 0) || (files === 200 && seq === 1))
  // The first request may still hold its uploads: 409 until it has let go of them.
  await expect.poll(async () => (await commit(repo, { add })).status).toBe(200)
  expect((await commit(repo, { add })).json.seq).toBe(1)
  expect((await state(repo)).commit_id).not.toBe(empty)
  expect(await paths(repo)).toHaveLength(200)
})

it('of the same bytes that two began to send, a commit takes those of its own account', async () => {
  const org = await hub.org([lab.ada, lab.bob].map(({ handle }) => ({ user: handle, role: 'owner' as const })))
  const { json } = await hub.call(lab.ada, 'POST', '/v1/repos', { kind: 'dataset', owner: org, slug: newName() })
  const repo = `${json.owner.handle}/${json.slug}`
  await post(repo, 'blobs/presign', { blobs: [named('of both')] })
  await send(repo, 'of both', lab.bob)
  expect((await commit(repo, { add: [{ path: 'a', ...named('of both') }] }, lab.bob)).status).toBe(200)
})

it('commits of the same new bytes at once are all made', async () => {
  const repo = await hub.repo(lab.ada)
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, index) => commit(repo, { add: [{ path: `p${index}`, content: base64(repo) }] })),
  )
  expect(made.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(await paths(repo)).toHaveLength(8)
  expect(await sums(lab.ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
})

it('each deleted folder is a range of the index, and a commit deletes a thousand of them', async () => {
  const repo = await hub.repo(lab.ada)
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

it('a commit that deletes thousands of paths that are not there names a hundred of them', async () => {
  const repo = await hub.repo(lab.ada)
  const refused = await commit(repo, { delete: Array.from({ length: 5000 }, (_, index) => `gone/${index}`) })
  expect([refused.status, refused.json.errors.length]).toEqual([404, 100])
  expect(refused.json.errors[99].loc).toEqual(['body', 'delete', 99])
})

it('each path that a commit looks for or ends is a walk of the index, whatever the statistics of the table say', async () => {
  const repo = await hub.repo(lab.ada)
  await commit(repo, { add: [{ path: 'there', content: '' }] })
  const { id: repoId } = await state(repo)
  // None of them is there: the second statement writes.
  const paths = Array.from({ length: 2000 }, (_, index) => `gone/${index}`)
  const { db } = hub.running.deps
  for (const plan of [
    ...(await plansOf(db, livePaths.text, orderedValues(livePaths, { repoId, paths, lowers: [], uppers: [] }))),
    ...(await plansOf(db, closeFiles.text, orderedValues(closeFiles, { repoId, seq: 9, paths }))),
  ]) {
    const walks = plan.filter(
      (node) => node['Index Name'] === 'files_live' && Number(node['Actual Loops']) === paths.length,
    )
    expect(walks).toHaveLength(1)
  }
})

it('folders inside of folders are deleted once, and each has to be there', async () => {
  const repo = await hub.repo(lab.ada)
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
  const repo = await hub.repo(lab.ada)
  await commit(repo, { add: [{ path: 'seed', content: base64('seed') }] })
  const add = Array.from({ length: 3000 }, (_, index) => ({ path: `d${index % 10}/f${index}`, ...named('seed') }))
  expect((await commit(repo, { add })).json).toMatchObject({ added: 3000 })
  expect((await commit(repo, { delete: ['d3/', 'd4/', 'd5/f5'] })).json).toMatchObject({ removed: 601 })
  expect((await state(repo)).file_summary.count).toBe(2400)
  await sums(lab.ada.handle)
})
