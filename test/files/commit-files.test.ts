import { describe, expect, it } from 'vitest'
import type { Json } from '../support/hub.ts'
import { commitCalls } from './support/commit-calls.ts'

const lab = commitCalls()
const { hub, sha256, named, base64, commit, tree, paths, state, sums, send } = lab

describe('a commit', () => {
  it('adds, replaces, deletes and copies as one change with its message', async () => {
    const repo = await hub.repo(lab.ada)
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
    const { items } = (await hub.call(lab.ada, 'GET', `/v1/repos/${repo}/commits`)).json
    expect(items.map(({ message, commit_id }: Json) => [message, commit_id])).toEqual([
      ['rearranged', second.json.commit_id],
      ['start', first.json.commit_id],
      [null, expect.any(String)],
    ])
    expect(await sums(lab.ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
  })

  it('that changes nothing is not a change, also when it is repeated', async () => {
    const repo = await hub.repo(lab.ada)
    const body = { add: [{ path: 'a.txt', content: base64('same') }] }
    const { json } = await commit(repo, body)
    expect((await commit(repo, body)).json).toEqual({ ...json, added: 0 })
    expect((await commit(repo, {})).json).toEqual({ ...json, added: 0 })
    expect((await state(repo)).commit_id).toBe(json.commit_id)
  })

  it('does not begin where the repo is at another commit', async () => {
    const repo = await hub.repo(lab.ada)
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
    const repo = await hub.repo(lab.ada)
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
      'content that is not base64',
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
      'content of one byte over 64 KiB, which has as many characters',
      { add: [{ path: 'z', content: Buffer.alloc(65_537).toString('base64') }] },
      422,
      'validation.value',
      ['add', 0, 'content'],
    ],
    [
      'content beside the digest of other bytes',
      { add: [{ path: 'z', content: base64('z'), ...named('other') }] },
      422,
      'upload.sha256_mismatch',
      ['add', 0, 'sha256'],
    ],
    [
      'content beside another size',
      { add: [{ path: 'z', content: base64('z'), size: 2 }] },
      422,
      'upload.size_mismatch',
      ['add', 0, 'size'],
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
    ['a parent that is not a commit id', { parent_commit: 'main' }, 422, 'validation.value', ['parent_commit']],
  ])('%s: nothing of it is done', async (_, bad, status, type, loc) => {
    const repo = await hub.repo(lab.ada)
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
    await sums(lab.ada.handle)
  })

  it('is for those who can write the repo; the key of an agent may', async () => {
    const repo = await hub.repo(lab.ada, { visibility: 'public' })
    expect((await commit(repo, { add: [{ path: 'a', content: '' }] }, lab.bob)).status).toBe(403)
    const agent = await hub.key(lab.ada, { scope: 'write', agent: true })
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
    const repo = await hub.repo(lab.ada, { kind: 'dataset' })
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
    const repo = await hub.repo(lab.ada)
    const { commit_id: parent } = await state(repo)
    const body = { parent_commit: parent, add: [{ path: 'a', content: base64('1') }] }
    const again = () => hub.call(lab.ada, 'POST', `/v1/repos/${repo}/commits`, body, { 'idempotency-key': 'one' })
    const [first, second] = [await again(), await again()]
    expect([first.status, second.status, second.json]).toEqual([200, 200, first.json])
  })
})
