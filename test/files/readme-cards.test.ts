/** The card of a repo is that of the README.md that it has now, whatever way the file came, changed or went. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { verifyBlob } from '../../src/jobs/blob-verify.ts'
import { abortAbandoned } from '../../src/jobs/collect-objects.ts'
import { readPendingReadmes } from '../../src/jobs/readmes-read.ts'
import { MAX_README_BYTES } from '../../src/repos/readme/limits.ts'
import { contractHub, type Json, type Person, sha256Of } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
const signal = new AbortController().signal

beforeAll(async () => {
  ada = await hub.person()
})

let made = 0
/** A README that no other repo has. */
const readme = (yaml: string) => {
  made += 1
  return `---\n${yaml}\n---\n# ${made}\n`
}
const post = (repo: string, route: string, body: unknown) => hub.call(ada, 'POST', `/v1/repos/${repo}/${route}`, body)
const done = async (repo: string, route: string, body: unknown) => {
  const answer = await post(repo, route, body)
  expect([answer.status, answer.json.errors]).toEqual([200, undefined])
  return answer.json
}
const base64 = (text: string) => Buffer.from(text).toString('base64')
const cardOf = async (repo: string) => {
  const { license, card_tags, card_data, card_fault } = (await hub.call(ada, 'GET', `/v1/repos/${repo}`)).json
  return { license, card_tags, card_data, card_fault }
}
/** Members of `/v1` are left out where there is nothing. */
const ofLicense = (license: string) => ({ license, card_data: { license } })
const none = {}
const uploaded = async (yaml: string, kind = 'dataset') => {
  const repo = await hub.repo(ada, { kind })
  await hub.upload(ada, repo, { 'README.md': readme(yaml), 'other.txt': 'other' })
  return repo
}

describe('the card of a repo is there with the answer of the change that brings it:', () => {
  it('of uploads that are completed, in a repo of each kind', async () => {
    for (const kind of ['dataset', 'model', 'robot']) {
      const repo = await hub.repo(ada, { kind, tags: ['mine'] })
      expect(await cardOf(repo)).toEqual(none)
      await hub.upload(ada, repo, { 'README.md': readme('license: mit\ntags: [LeRobot]') })
      expect(await cardOf(repo)).toEqual({
        license: 'mit',
        card_tags: ['LeRobot'],
        card_data: { license: 'mit', tags: ['LeRobot'] },
      })
      expect((await hub.call(ada, 'GET', `/v1/repos/${repo}`)).json.tags).toEqual(['mine'])
    }
  })

  it('of a README.md that is uploaded again', async () => {
    const repo = await uploaded('license: mit')
    await hub.upload(ada, repo, { 'README.md': readme('license: cc0-1.0') })
    expect(await cardOf(repo)).toEqual(ofLicense('cc0-1.0'))
    await hub.upload(ada, repo, { 'other.txt': 'changed' })
    expect(await cardOf(repo)).toEqual(ofLicense('cc0-1.0'))
    await hub.upload(ada, repo, { 'README.md': '# no header' })
    expect(await cardOf(repo)).toEqual(none)
  })

  it('of files that are linked, whose bytes another repo has', async () => {
    const [first, second] = [await hub.repo(ada), await hub.repo(ada)]
    const text = readme('license: bsd')
    await hub.upload(ada, first, { 'docs/card.md': text })
    expect(await cardOf(first)).toEqual(none)
    const file = { path: 'README.md', size: Buffer.byteLength(text), sha256: sha256Of(text) }
    expect((await done(second, 'files/link', { files: [file] })).missing).toEqual([])
    expect(await cardOf(second)).toEqual(ofLicense('bsd'))
  })

  it('of a commit: its content, bytes that were sent ahead, a copy, a deletion of the file and of a folder beside it', async () => {
    const repo = await hub.repo(ada)
    const add = (text: string, path = 'README.md') => ({ path, content: base64(text) })
    await done(repo, 'commits', { add: [add(readme('license: mit')), add(readme('license: apache-2.0'), 'b/card.md')] })
    expect(await cardOf(repo)).toEqual(ofLicense('mit'))
    await done(repo, 'commits', { copy: [{ path: 'README.md', from: 'b/card.md' }] })
    expect(await cardOf(repo)).toEqual(ofLicense('apache-2.0'))
    await done(repo, 'commits', { delete: ['b/'] })
    expect(await cardOf(repo)).toEqual(ofLicense('apache-2.0'))
    await done(repo, 'commits', { copy: [{ path: 'c.md', from: 'README.md' }], delete: ['README.md'] })
    expect(await cardOf(repo)).toEqual(none)
    await done(repo, 'commits', { copy: [{ path: 'README.md', from: 'README.md', at: '1' }] })
    expect(await cardOf(repo)).toEqual(ofLicense('mit'))
    const text = readme('license: gpl-3.0')
    const bytes = { sha256: sha256Of(text), size: Buffer.byteLength(text) }
    const [{ upload }] = (await done(repo, 'blobs/presign', { blobs: [bytes] })).blobs
    await hub.put(upload.parts[0].url, text)
    await done(repo, 'commits', { add: [{ path: 'README.md', ...bytes }] })
    expect(await cardOf(repo)).toEqual(ofLicense('gpl-3.0'))
  })

  it('of deleted files, of a restored state, of some restored paths, and of purged ones', async () => {
    const repo = await uploaded('license: mit')
    await done(repo, 'files/delete', { paths: ['README.md'] })
    expect(await cardOf(repo)).toEqual(none)
    await done(repo, 'restore', { at: '1', paths: ['other.txt'] })
    expect(await cardOf(repo)).toEqual(none)
    await done(repo, 'restore', { at: '1' })
    expect(await cardOf(repo)).toEqual(ofLicense('mit'))
    await hub.upload(ada, repo, { 'README.md': readme('license: bsd') })
    await done(repo, 'restore', { at: '1', paths: ['README.md'] })
    expect(await cardOf(repo)).toEqual(ofLicense('mit'))
    await done(repo, 'files/purge', { paths: ['README.md'] })
    expect(await cardOf(repo)).toEqual(none)
  })

  it('of a repo that is moved', async () => {
    const repo = await uploaded('license: mit')
    const moved = (await post(repo, 'move', { slug: `moved-${made}` })).json
    expect(moved).toMatchObject({ license: 'mit' })
    expect(await cardOf(moved.full_name)).toEqual(ofLicense('mit'))
  })
})

describe('a README.md that is not a card', () => {
  it.each([
    ['is not YAML', 'license: [', 'is not YAML'],
    ['is a list', '- mit', 'is not a list of members'],
    [
      'is a bomb',
      `a: &a [1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]
d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d]`,
      '20000 values',
    ],
    ['contains itself', 'a: &a [*a]', 'not used'],
  ])('because its header %s is stored like any other file, and the repo says why', async (_what, yaml, part) => {
    const repo = await uploaded(yaml)
    expect(await cardOf(repo)).toEqual({ card_fault: expect.stringContaining(part) })
    expect((await hub.call(ada, 'GET', `/v1/repos/${repo}`)).json.file_summary.count).toBe(2)
  })

  it('because it is too long: one byte less is read', async () => {
    const repo = await hub.repo(ada)
    const start = readme('license: mit')
    const text = (bytes: number) => start + 'x'.repeat(bytes - Buffer.byteLength(start))
    await hub.upload(ada, repo, { 'README.md': text(MAX_README_BYTES) })
    expect(await cardOf(repo)).toEqual(ofLicense('mit'))
    await hub.upload(ada, repo, { 'README.md': text(MAX_README_BYTES + 1) })
    expect(await cardOf(repo)).toEqual({ card_fault: expect.stringContaining('1048577 bytes') })
  })

  it('is a file of another name or folder, or no text', async () => {
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, { 'readme.md': readme('license: mit'), 'docs/README.md': readme('license: mit') })
    expect(await cardOf(repo)).toEqual(none)
    await hub.upload(ada, repo, { 'README.md': Buffer.from([0xff, 0xfe, 0, 0x2d]) })
    expect(await cardOf(repo)).toEqual(none)
  })
})

describe('a README.md that the store does not give', () => {
  const failing = async (work: () => Promise<unknown>) => {
    const { objects } = hub.running.deps
    if (!objects) throw new Error('The hub has no store.')
    const get = vi.spyOn(objects, 'get').mockImplementation(() => Promise.reject(new Error('the store is away')))
    await work().finally(() => get.mockRestore())
    return objects
  }
  const pending = async () =>
    (await hub.sql<{ id: string }>('select id from repos where card_pending', [])).map(({ id }) => id)
  const read = async () => {
    const { deps } = hub.running
    if (deps.objects) await readPendingReadmes(deps, deps.objects, signal)
  }

  it('stops no change; the repo says so, and a job reads it, also after one that failed', async () => {
    const repo = await uploaded('license: mit')
    await hub.upload(ada, repo, { 'README.md': readme('license: bsd') })
    await failing(async () => await done(repo, 'restore', { at: '1' }))
    // The card of these bytes is kept: nothing needs to be read.
    expect(await cardOf(repo)).toEqual(ofLicense('mit'))
    await hub.sql(
      'delete from readme_cards k using files f where f.blob_id = k.blob_id and f.repo_id = (select id from repos where slug = $1)',
      [repo.split('/')[1]],
    )
    await failing(async () => await done(repo, 'restore', { at: '2' }))
    expect(await cardOf(repo)).toEqual({ card_fault: 'README.md is not read yet.' })
    await failing(read)
    expect(await cardOf(repo)).toEqual({ card_fault: 'README.md is not read yet.' })
    await read()
    expect(await cardOf(repo)).toEqual(ofLicense('bsd'))
    expect(await pending()).toEqual([])
  })

  it('is read by any number of jobs at once, while others change the file, and the card is that of the last one', async () => {
    const repo = await uploaded('license: mit')
    const unread = `update repos set card_pending = true, card_facts = null where slug = $1`
    for (let round = 0; round < 5; round += 1) {
      await hub.sql(unread, [repo.split('/')[1]])
      const change = hub.upload(ada, repo, { 'README.md': readme(`license: l${round}`) })
      await Promise.all([read(), change, read()])
      await read()
      expect(await cardOf(repo)).toEqual(ofLicense(`l${round}`))
    }
  })

  it('is read again where its bytes are found to be those of another file, whose card nobody has read', async () => {
    const slug = (repo: string) => repo.split('/')[1]
    const text = readme('license: mit')
    const [first, second] = [await hub.repo(ada), await hub.repo(ada)]
    await hub.upload(ada, first, { 'docs/card.md': text })
    await hub.upload(ada, second, { 'README.md': text })
    const blobOf = `select f.blob_id from files f join repos r on r.id = f.repo_id where r.slug = $1`
    // As after an upload of many parts: bytes of its own, which a job has yet to hash.
    await hub.sql(
      `with copy as (insert into blobs (id, storage_key, size, claimed)
          select id || 'x', storage_key || 'x', size, claimed from blobs where id = (${blobOf}) returning id),
        linked as (update files set blob_id = copy.id from copy
          where repo_id = (select id from repos where slug = $1)),
        carded as (insert into readme_cards (blob_id, facts, data) select copy.id, k.facts, k.data from copy, readme_cards k
          where k.blob_id = (${blobOf})),
        gone as (delete from readme_cards where blob_id = (${blobOf}))
      update repos set verified_count = 0 where slug = $1`,
      [slug(second)],
    )
    const [blob] = await hub.sql<Json>(`select b.id, b.storage_key as key from blobs b where b.id = (${blobOf})`, [
      slug(second),
    ])
    const { deps } = hub.running
    await deps.objects?.put(blob.key, Buffer.from(text), { sizeBytes: Buffer.byteLength(text) })
    await verifyBlob(deps, blob.id, signal)
    expect((await pending()).length).toBe(1)
    await read()
    expect([await cardOf(second), await pending()]).toEqual([ofLicense('mit'), []])
  })

  it('is that of an older hub: nothing is kept of a card when the file has gone by then', async () => {
    const repo = await uploaded('license: mit')
    await hub.sql('update repos set card_pending = true where slug = $1', [repo.split('/')[1]])
    await done(repo, 'files/delete', { paths: ['README.md'] })
    await read()
    expect(await cardOf(repo)).toEqual(none)
  })

  it('keeps no card without its bytes', async () => {
    const repo = await uploaded('license: mit')
    const count = async () => (await hub.sql('select from readme_cards')).length
    const before = await count()
    await done(repo, 'files/purge', { paths: ['README.md'] })
    const { deps } = hub.running
    if (deps.objects) await abortAbandoned(deps, deps.objects, signal)
    await expect.poll(count).toBe(before - 1)
  })
})

describe('repos are found by their cards', () => {
  const names = (answer: { json: Json }) => answer.json.items.map((repo: Json) => repo.full_name)
  const list = (owner: string, query: string) => hub.call(ada, 'GET', `/v1/repos?owner=${owner}&${query}`)

  it('by tags of both kinds, license, label and search; facets count each repo once for a tag', async () => {
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    const repoWith = async (tags: readonly string[], yaml: string) => {
      const repo = await hub.repo(ada, { owner: org, tags })
      await hub.upload(ada, repo, { 'README.md': readme(yaml) })
      return repo
    }
    const one = await repoWith(['own', 'both'], 'tags: [Both, card]\nlicense: MIT\nlanguage: en')
    const two = await repoWith([], 'tags: [card]\nlicense: [apache-2.0, mit]\nlibrary_name: LeRobot')
    const cases: readonly [string, readonly string[]][] = [
      ['tag=own', [one]],
      ['tag=both', [one]],
      ['tag=card', [two, one]],
      ['tag=card&tag=own', [one]],
      ['tag=en', []],
      ['license=mit', [two, one]],
      ['license=Apache-2.0', [two]],
      ['license=mit&tag=own', [one]],
      ['tag=BOTH', [one]],
      ['label=language:en', [one]],
      ['label=LeRobot&label=card', [two]],
      ['label=own&label=license:mit', [one]],
      ['q=CARD', [two, one]],
      ['q=car', []],
      ['q=license:mit', []],
    ]
    for (const [query, found] of cases) expect([query, names(await list(org, query))]).toEqual([query, found])
    const tags = [
      { value: 'card', count: 2 },
      { value: 'both', count: 1 },
      { value: 'own', count: 1 },
    ]
    const facets = await hub.graphql(
      ada,
      `query ($owner: String!) { repos(owner: $owner) { facets { total tags { value count } licenses { value count } } } }`,
      { owner: org },
    )
    const licenses = [
      { value: 'mit', count: 2 },
      { value: 'apache-2.0', count: 1 },
    ]
    expect(facets.data.repos.facets).toEqual({ total: 2, tags, licenses })
    expect((await list(org, 'facets=1&license=none')).json.facets).toEqual({ total: 2, tags, licenses })
  })

  it('and a list has the cards, in pages that end early where they are long', async () => {
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    const long = `a: &a "${'x'.repeat(60_000)}"\nb: [*a, *a, *a]`
    for (let at = 0; at < 20; at += 1) {
      const repo = await hub.repo(ada, { owner: org })
      await hub.upload(ada, repo, { 'README.md': readme(long) })
    }
    const { json } = await list(org, 'limit=20')
    expect(json.items.length).toBeLessThan(20)
    expect(json.items[0].card_data.b).toHaveLength(3)
    const rest = await list(org, `limit=20&cursor=${json.next_cursor}`)
    expect([...names({ json }), ...names(rest)]).toHaveLength(20)
  })
})
