import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, sha256Of } from '../support/hub.ts'
import { hfClient, refusal } from './support/hf-client.ts'

const hub = contractHub()
const hf = hfClient(hub)

const gitHash = (kind: string, text: string) =>
  createHash('sha1')
    .update(`${kind} ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')

/** What git gives the pointer that LFS keeps for a file. */
const pointerOf = (text: string) => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256Of(text)}\nsize ${Buffer.byteLength(text)}\n`
  return { oid: gitHash('blob', pointer), pointerSize: pointer.length }
}

const rendered = (path: string, text: string) => {
  const { oid, pointerSize } = pointerOf(text)
  const size = Buffer.byteLength(text)
  return { type: 'file', path, size, oid, lfs: { oid: sha256Of(text), sha256: sha256Of(text), size, pointerSize } }
}

const files = { 'README.md': '# pick\n', 'data/a/1.bin': 'one', 'data/a/2.bin': 'two', 'data/b.bin': 'b', 'z.txt': 'z' }

describe('whoami-v2', () => {
  it('names the account, its orgs and what the key may do', async () => {
    const person = await hub.person()
    const org = await hub.org([{ user: person.handle, role: 'owner' }])
    const writer = await hf.get(await hub.key(person, { name: 'laptop' }), '/api/whoami-v2')
    expect(writer.json).toMatchObject({
      type: 'user',
      id: person.id,
      name: person.handle,
      orgs: [{ type: 'org', name: org }],
      auth: { type: 'access_token', accessToken: { displayName: 'laptop', role: 'write' } },
    })
    const reader = await hf.get(await hub.key(org, { scope: 'read' }), '/api/whoami-v2')
    expect([reader.json.type, reader.json.name, reader.json.auth.accessToken.role]).toEqual(['org', org, 'read'])
  })

  it('tells a wrong key by the sentence that clients look for, and no key by another', async () => {
    const wrong = await hf.get('hub_key_of_nobody', '/api/whoami-v2')
    expect(refusal(wrong)).toEqual([401, 'AuthInvalid'])
    expect(wrong.headers.get('x-error-message')).toBe('Invalid credentials in Authorization header')
    const none = await hf.get(null, '/api/whoami-v2')
    expect(refusal(none)).toEqual([401, 'AuthMissing'])
    expect(none.headers.get('x-request-id')).toMatch(/^req_/)
    expect(none.json.error).toContain('HF_TOKEN')
  })
})

describe('a repo', () => {
  it('has its commit, its files and what they are made of', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, files)
    const info = await hf.get(person, `/api/datasets/${name}`)
    expect(info.json).toMatchObject({ id: name, author: person.handle, private: true, gated: false, tags: [] })
    expect(info.json.sha).toMatch(/^[0-9a-f]{40}$/)
    expect(new Date(info.json.lastModified).getTime()).toBeGreaterThan(0)
    expect(info.json.siblings).toEqual(Object.keys(files).map((rfilename) => ({ rfilename })))
    const blobs = await hf.get(person, `/api/datasets/${name}/revision/main?blobs=true`)
    const { oid: blobId, size, lfs } = rendered('z.txt', 'z')
    expect(blobs.json.siblings.at(-1)).toEqual({ rfilename: 'z.txt', size, blobId, lfs })
    const part = await hf.get(person, `/api/datasets/${name}?expand=sha&expand=tags`)
    expect(part.json).toEqual({ _id: name, id: name, sha: info.json.sha, tags: [] })
  })

  it('of the other type, hidden or not there has one answer; without a key it is 401', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, {})
    const stranger = await hub.person()
    for (const path of [`/api/models/${name}`, `/api/datasets/${person.handle}/nothing`, '/api/models/gpt2'])
      expect(refusal(await hf.get(person, path))).toEqual([404, 'RepoNotFound'])
    const hidden = await hf.get(stranger, `/api/datasets/${name}`)
    const absent = await hf.get(stranger, `/api/datasets/${person.handle}/nothing`)
    expect(refusal(hidden)).toEqual([404, 'RepoNotFound'])
    expect(hidden.json.error.replaceAll(name, 'R')).toBe(absent.json.error.replaceAll(`${person.handle}/nothing`, 'R'))
    expect(hidden.json.error).toContain('is not on this hub')
    expect(hidden.headers.get('x-error-message')).toContain(`Not here: hub import hf://datasets/${name}`)
    const named = await hf.get(null, `/api/models/${person.handle}/${encodeURIComponent('$(id)')}`)
    expect(named.headers.get('x-error-message')).not.toContain('hub import')
    expect(refusal(await hf.get(null, `/api/datasets/${name}`))).toEqual([401, 'RepoNotFound'])
    expect(refusal(await hf.get(null, `/datasets/${name}/resolve/main/x`))).toEqual([401, 'RepoNotFound'])
  })

  it('has its page at the address that clients print', async () => {
    const person = await hub.person()
    const name = await hub.repo(person)
    const to = async (rest: string) => {
      const page = await hf.get(person, `/datasets/${name}${rest}`)
      return [page.status, page.headers.get('location')]
    }
    for (const rest of ['', '/tree/main', '/blob/v1.0/a/b.txt'])
      expect([rest, ...(await to(rest))]).toEqual([rest, 302, `/${name}`])
    for (const rest of ['/commit/0123', '/commits/main'])
      expect([rest, ...(await to(rest))]).toEqual([rest, 302, `/${name}/history`])
    expect(await to('/blob/main/a%20b/c%23.txt')).toEqual([302, `/${name}/tree/a%20b/c%23.txt`])
    expect(await to('/tree/main/a')).toEqual([302, `/${name}/tree/a`])
    expect(refusal(await hf.get(null, `/datasets/${name}`))).toEqual([401, 'RepoNotFound'])
  })

  it('that is a robot is read as a model', async () => {
    const person = await hub.person()
    const name = await hub.repo(person, { kind: 'robot', visibility: 'public' })
    expect((await hf.get(null, `/api/models/${name}`)).json).toMatchObject({ id: name, modelId: name, private: false })
    expect(refusal(await hf.get(null, `/api/datasets/${name}`))).toEqual([401, 'RepoNotFound'])
  })

  it('is listed by type, author, search and tag, page by page', async () => {
    const person = await hub.person()
    const tag = newName('tag')
    const names = [
      await hub.repo(person, { tags: [tag] }),
      await hub.repo(person, { tags: [tag] }),
      await hub.repo(person, { slug: newName('needle') }),
    ]
    await hub.repo(person, { kind: 'model' })
    const ids = (list: { json: readonly { id: string }[] }) => list.json.map(({ id }) => id)
    const all = await hf.get(person, `/api/datasets?author=${person.handle}`)
    expect(ids(all)).toEqual([...names].reverse())
    expect(ids(await hf.get(person, `/api/datasets?author=${person.handle}&search=needle`))).toEqual([names[2]])
    const first = await hf.get(person, `/api/datasets?filter=${tag}&limit=1&sort=createdAt`)
    expect(ids(first)).toEqual([names[1]])
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? []
    expect(next.startsWith(`${hub.running.url}/api/datasets?`)).toBe(true)
    const second = await hf.get(person, next)
    expect([ids(second), second.headers.get('link')]).toEqual([[names[0]], null])
    expect(ids(await hf.get(person, `/api/datasets?filter=${tag.toUpperCase()}&author=${person.handle}`))).toHaveLength(
      2,
    )
    expect(refusal(await hf.get(person, '/api/models?inference=warm'))).toEqual([400, 'NotSupported'])
  })
})

describe('the tree', () => {
  it('of a folder has the files and folders in it, of all folders everything', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, files)
    const tree = async (rest: string) =>
      (await hf.get(person, `/api/datasets/${name}/tree/main${rest}`)).json.map((entry: { path: string }) => entry.path)
    expect(await tree('')).toEqual(['README.md', 'data', 'z.txt'])
    expect(await tree('/data?recursive=false')).toEqual(['data/a', 'data/b.bin'])
    const all = ['README.md', 'data', 'data/a', 'data/a/1.bin', 'data/a/2.bin', 'data/b.bin', 'z.txt']
    expect(await tree('?recursive=true')).toEqual(all)
    expect(await tree(`/${encodeURIComponent('data/a')}?recursive=True`)).toEqual(['data/a/1.bin', 'data/a/2.bin'])
    expect(refusal(await hf.get(person, `/api/datasets/${name}/tree/main/nothing`))).toEqual([404, 'EntryNotFound'])
  })

  it('says what is at some paths, sent as a form or as JSON', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, files)
    const path = `/api/datasets/${name}/paths-info/main`
    const entries = [
      rendered('data/b.bin', 'b'),
      { type: 'directory', path: 'data/a', size: 0, oid: gitHash('tree', 'data/a') },
    ]
    const asked = ['data/b.bin', 'data/a/', 'nothing'].map((value) => ['paths', value] as const)
    expect((await hf.form(person, path, [...asked, ['expand', 'false']])).json).toEqual(entries)
    expect((await hf.form(person, path, [['paths', 'data/b.bin']])).json).toEqual(entries.slice(0, 1))
    const many = Array.from({ length: 1001 }, (_, index) => `${index}`)
    expect((await hf.json(person, 'POST', path, { paths: ['data/b.bin', 'data/a'] })).json).toEqual(entries)
    expect(refusal(await hf.json(person, 'POST', path, { paths: many }))).toEqual([413, 'TooLarge'])
    expect(refusal(await hf.json(person, 'POST', path, { paths: 7 }))).toEqual([400, 'BadRequest'])
  })

  it('shows with `expand` since which commit an entry is as it is, and no other members without', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, files)
    await hub.upload(person, name, { 'data/a/3.bin': 'three' })
    const { items } = (await hub.call(person, 'GET', `/v1/repos/${name}/commits`)).json
    const lastCommit = (at: number) => ({ id: items[at].commit_id, title: '', date: items[at].time })
    const [b, z] = ['data/b.bin', 'z.txt'].map((path) => ({
      ...rendered(path, path === 'z.txt' ? 'z' : 'b'),
      lastCommit: lastCommit(1),
      securityFileStatus: null,
    }))
    const a = { type: 'directory', path: 'data/a', size: 0, oid: gitHash('tree', 'data/a'), lastCommit: lastCommit(0) }
    const [data, info] = [`/api/datasets/${name}/tree/main/data`, `/api/datasets/${name}/paths-info/main`]
    expect((await hf.get(person, `${data}?expand=True`)).json).toEqual([a, b])
    expect((await hf.get(person, `/api/datasets/${name}/tree/main?recursive=true&expand=true`)).json.at(-1)).toEqual(z)
    expect((await hf.json(person, 'POST', info, { paths: ['data/b.bin', 'data/a'], expand: true })).json).toEqual([
      b,
      a,
    ])
    const asked = ['data/a', 'z.txt'].map((value) => ['paths', value] as const)
    expect((await hf.form(person, info, [...asked, ['expand', 'true']])).json).toEqual([a, z])
    expect(Object.keys((await hf.form(person, info, asked)).json[0])).toEqual(['type', 'path', 'size', 'oid'])
  })

  it('has 100 entries on a page with `expand`', async () => {
    const person = await hub.person()
    const many = Array.from({ length: 130 }, (_, n) => [`f/${`${n}`.padStart(3, '0')}`, `${n % 2}`])
    const name = await hf.dataset(person, Object.fromEntries(many.slice(0, 100)))
    await hub.upload(person, name, Object.fromEntries(many.slice(100)))
    const tree = `/api/datasets/${name}/tree/main`
    for (const start of [`${tree}/f?expand=true`, `${tree}/f?recursive=true&expand=true`]) {
      const first = await hf.get(person, start)
      const next = /^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
      const second = await hf.get(person, next)
      expect([first.json.length, second.json.length, second.headers.get('link')]).toEqual([100, 30, null])
      for (const { lastCommit } of [...first.json, ...second.json]) expect(lastCommit.id).toMatch(/^[0-9a-f]{40}$/)
    }
    const paths = many.map(([path]) => path)
    const info = await hf.json(person, 'POST', `/api/datasets/${name}/paths-info/main`, { paths, expand: true })
    expect(info.json.filter((entry: Json) => entry.lastCommit !== null)).toHaveLength(130)
  })

  it('of a large folder goes on where it ended, in the same state', async () => {
    const person = await hub.person()
    const name = await hub.repo(person)
    const id = newName('blob')
    const blob = 'insert into blobs (id, storage_key, size, claimed, sha256) values ($1, $1, 1, $2, $2)'
    await hub.sql(blob, [id, sha256Of(id)])
    await hub.sql(
      `insert into files (repo_id, from_seq, path, blob_id) select r.id, 1, p, $2 from repos r join accounts o on o.id = r.owner_id,
        (select format('many/%s.bin', lpad(i::text, 5, '0')) p from generate_series(1, 1500) i
          union all select format('last/%s.bin', i) from generate_series(1, 1200) i) t where o.handle || '/' || r.slug = $1`,
      [name, id],
    )
    await hub.sql(
      `with r as (update repos set seq = 1, file_count = 2700, total_bytes = 2700 where id = (select r.id from repos r
         join accounts o on o.id = r.owner_id where o.handle || '/' || r.slug = $1) returning id)
       insert into repo_changes (repo_id, seq, at, action, files_added, files_removed, files_changed, bytes_added, bytes_removed, file_count, total_bytes)
       select id, 1, now(), 'complete', 2700, 0, 0, 2700, 0, 2700, 2700 from r`,
      [name],
    )
    const top = await hf.get(person, `/api/datasets/${name}/tree/main`)
    expect(top.json.map((entry: { path: string }) => entry.path)).toEqual(['last', 'many'])
    expect(top.headers.get('link')).toBeNull()
    const paths: string[] = []
    const { sha } = (await hf.get(person, `/api/datasets/${name}?expand=sha`)).json
    let next: string | undefined = `/api/datasets/${name}/tree/main?recursive=true`
    while (next) {
      const page = await hf.get(person, next)
      paths.push(...page.json.map((entry: { path: string }) => entry.path))
      next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1]
      if (next) expect(next).toContain(`/tree/${sha}?`)
    }
    expect([paths.length, new Set(paths).size]).toEqual([2702, 2702])
  })
})

describe('a revision', () => {
  it('is main, a tag or a commit id, and never a number, a time or a run', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, { 'a.txt': 'one' })
    const api = `/api/datasets/${name}`
    const before = (await hf.get(person, api)).json.sha
    expect((await hf.json(person, 'POST', `${api}/tag/main`, { tag: '005000', message: 'a checkpoint' })).status).toBe(
      200,
    )
    expect(refusal(await hf.json(person, 'POST', `${api}/tag/main`, { tag: '005000' }))).toEqual([409, 'ConflictTaken'])
    for (const tag of ['main', 'HEAD'])
      expect(refusal(await hf.json(person, 'POST', `${api}/tag/main`, { tag }))).toEqual([409, 'ConflictTaken'])
    await hub.upload(person, name, { 'a.txt': 'two' })
    const after = (await hf.get(person, api)).json.sha
    expect(after).not.toBe(before)
    for (const revision of ['005000', before])
      expect((await hf.get(person, `${api}/revision/${revision}`)).json.sha).toBe(before)
    for (const revision of ['1', '2026-01-31T09:30:00Z', 'dev', 'f'.repeat(40), encodeURIComponent('refs/pr/1')])
      expect([revision, ...refusal(await hf.get(person, `${api}/revision/${revision}`))]).toEqual([
        revision,
        404,
        'RevisionNotFound',
      ])
    expect((await hf.get(person, `${api}/refs`)).json).toEqual({
      branches: [{ name: 'main', ref: 'refs/heads/main', targetCommit: after }],
      converts: [],
      tags: [{ name: '005000', ref: 'refs/tags/005000', targetCommit: before }],
    })
    const ids = async (revision: string) =>
      (await hf.get(person, `${api}/commits/${revision}`)).json.map((commit: { id: string }) => commit.id)
    expect((await ids('main')).slice(0, 2)).toEqual([after, before])
    expect((await ids('005000'))[0]).toBe(before)
    expect((await hf.request(person, 'DELETE', `${api}/tag/005000`)).status).toBe(200)
    expect(refusal(await hf.request(person, 'DELETE', `${api}/tag/005000`))).toEqual([404, 'RevisionNotFound'])
  })

  it('has one branch', async () => {
    const person = await hub.person()
    const api = `/api/datasets/${await hub.repo(person)}`
    expect(refusal(await hf.json(person, 'POST', `${api}/branch/main`, {}))).toEqual([409, 'ConflictTaken'])
    expect(refusal(await hf.json(person, 'POST', `${api}/branch/dev`, {}))).toEqual([400, 'NotSupported'])
    expect(refusal(await hf.request(person, 'DELETE', `${api}/branch/main`))).toEqual([403, 'Forbidden'])
    expect(refusal(await hf.request(person, 'DELETE', `${api}/branch/dev`))).toEqual([404, 'RevisionNotFound'])
  })
})

describe('a file', () => {
  it('is a redirect to the store, with the names under which a client keeps it', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, { 'data/a b.txt': 'hello', 'empty.txt': '' })
    const { sha } = (await hf.get(person, `/api/datasets/${name}`)).json
    const path = `/datasets/${name}/resolve/main/data/a%20b.txt`
    for (const method of ['HEAD', 'GET']) {
      const answer = await hf.request(person, method, path)
      // A client follows a redirect of HEAD within one host name, and would miss the headers in the store's answer.
      const [status, length] = [answer.status, answer.headers.get('content-length')]
      expect([method, status, length]).toEqual(method === 'HEAD' ? [method, 200, '5'] : [method, 302, '0'])
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        etag: `"${sha256Of('hello')}"`,
        'x-linked-etag': `"${sha256Of('hello')}"`,
        'x-linked-size': '5',
        'x-repo-commit': sha,
        'accept-ranges': 'bytes',
      })
      expect([...answer.headers].filter((header) => /xet/i.test(header.join()))).toEqual([])
      const part = await fetch(answer.headers.get('location') ?? '', { headers: { range: 'bytes=1-2' } })
      expect([part.status, await part.text()]).toEqual([206, 'el'])
    }
    const raw = await fetch(new URL(`/datasets/${name}/raw/${sha}/data/a%20b.txt`, hub.running.url), {
      headers: { authorization: `Bearer ${person.token}` },
    })
    expect(await raw.text()).toBe('hello')
    const empty = await hf.request(person, 'GET', `/datasets/${name}/resolve/main/empty.txt`)
    expect([empty.status, empty.text, empty.headers.get('x-linked-size')]).toEqual([200, '', '0'])
  })

  it('that is not there is EntryNotFound, and names the commit that does not have it', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, { 'a.txt': 'a' })
    const { sha } = (await hf.get(person, `/api/datasets/${name}`)).json
    for (const path of ['b.txt', '../a.txt', 'a.txt/b']) {
      const answer = await hf.request(person, 'GET', `/datasets/${name}/resolve/main/${path.replace('../', '..%2F')}`)
      expect([path, ...refusal(answer), answer.headers.get('x-repo-commit')]).toEqual([path, 404, 'EntryNotFound', sha])
    }
    expect(refusal(await hf.get(person, `/datasets/${name}/resolve/dev/a.txt`))).toEqual([404, 'RevisionNotFound'])
  })
})

describe('what this hub does not have', () => {
  it('is an error that names it', async () => {
    const person = await hub.person()
    const name = await hub.repo(person)
    expect(refusal(await hf.get(person, `/api/spaces/${name}`))).toEqual([404, 'RepoNotFound'])
    const xet = await hf.get(person, `/api/datasets/${name}/xet-write-token/main`)
    expect(refusal(xet)).toEqual([400, 'XetNotOffered'])
    expect(xet.json.error).toContain('HF_HUB_DISABLE_XET=1')
    expect(refusal(await hf.get(person, '/api/collections'))).toEqual([404, 'NotOffered'])
    const clone = await hf.get(null, `/${name}.git/info/refs?service=git-upload-pack`)
    expect([clone.status, clone.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8'])
    expect(clone.text).toContain('not a git server')
    // As the command takes it: a repo and a folder.
    expect(clone.text).toContain('hub pull OWNER/NAME FOLDER,')
  })
})
