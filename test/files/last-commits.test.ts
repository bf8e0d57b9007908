import { describe, expect, it } from 'vitest'
import { MAX_FOLDER_VERSIONS, MAX_LARGE_VERSIONS, MAX_NEWEST_FILES } from '../../src/files/versions/last-commits.ts'
import { contractHub, type Who } from '../support/hub.ts'
import { statementsOf } from '../support/request-statements.ts'

const hub = contractHub()

const ask = `query ($owner: String!, $slug: String!, $state: String!, $paths: [String!]!) {
  repo(owner: $owner, slug: $slug) { at(state: $state) { lastCommits(paths: $paths) { path commitId message time } } } }`

/** A public repo with three commits, and the ids of their states from the empty one on. */
async function withCommits() {
  const person = await hub.person()
  const name = await hub.repo(person, { visibility: 'public' })
  await hub.upload(person, name, { 'data/old': '1', 'data/new': '1', kept: '1' })
  await hub.upload(person, name, { 'data/new': '2' })
  const answer = await hub.call(person, 'POST', `/v1/repos/${name}/commits`, {
    message: 'the third\n\nin full',
    delete: ['kept'],
  })
  expect(answer.status).toBe(200)
  const { items } = (await hub.call(person, 'GET', `/v1/repos/${name}/commits`)).json
  const commits: string[] = items.map((commit: { commit_id: string }) => commit.commit_id).reverse()
  const [owner = '', slug = ''] = name.split('/')
  const read = (who: Who, state: string, paths: readonly string[]) =>
    hub.graphql(who, ask, { owner, slug, state, paths })
  /** Paths with the number of their commit. */
  const last = async (who: Who, state: string, paths: readonly string[]) =>
    (await read(who, state, paths)).data.repo.at.lastCommits.map(
      ({ path, commitId }: { path: string; commitId: string }) => `${path} ${commits.indexOf(commitId)}`,
    )
  return { person, name, commits, read, last }
}

describe('RepoState.lastCommits', () => {
  it('says since which commit files and folders are as they are', async () => {
    const { person, commits, read, last } = await withCommits()
    const paths = ['data', 'data/new', 'data/old', 'kept', 'dat', 'data/new/x']
    expect(await last(person, commits[3] ?? '', paths)).toEqual(['data 2', 'data/new 2', 'data/old 1'])
    expect(await last(person, commits[1] ?? '', paths)).toEqual(['data 1', 'data/new 1', 'data/old 1', 'kept 1'])
    expect(await last(person, '0', paths)).toEqual([])
    expect(await last(person, '1', [])).toEqual([])
    const many = Array.from({ length: 101 }, (_, at) => `${at}`)
    expect((await read(person, '1', many)).errors[0].extensions.code).toBe('UNPROCESSABLE')
  })

  it('tells a reader no commit that a list of commits does not', async () => {
    const { name, person, commits, last } = await withCommits()
    const reader = await hub.person()
    const [, , second = '', third = ''] = commits
    const paths = ['data/old', 'data/new']
    expect(await last(reader, third, paths)).toEqual(['data/old 3', 'data/new 3'])
    expect(await last(reader, second, paths)).toEqual(['data/old 2', 'data/new 2'])
    const tag = (name_: string, at: string) =>
      hub.call(person, 'POST', `/v1/repos/${name}/snapshots`, { name: name_, at })
    expect((await tag('first', commits[1] ?? '')).status).toBe(201)
    expect(await last(reader, third, paths)).toEqual(['data/old 1', 'data/new 3'])
    expect(await last(person, third, paths)).toEqual(['data/old 1', 'data/new 2'])
  })

  it('counts what has gone from a folder as a change of it', async () => {
    const { person, name, last } = await withCommits()
    const gone = { delete: ['data/old'] }
    const answer = await hub.call(person, 'POST', `/v1/repos/${name}/commits`, gone)
    expect(answer.status).toBe(200)
    const { seq } = (await hub.call(person, 'GET', `/v1/repos/${name}/commits`)).json.items[0]
    expect(seq).toBe(4)
    // The commit is newer than those that are numbered here.
    expect(await last(person, '4', ['data', 'data/new'])).toEqual(['data -1', 'data/new 2'])
    expect(await last(person, '3', ['data', 'data/new'])).toEqual(['data 2', 'data/new 2'])
  })

  /** Adds files, each the bytes of `data/old`: `count` of them below `folder` by the change `seq`, until `to`. */
  const addTo = (name: string, folder: string, count: number, seq: number, to: number | null = null) =>
    hub.sql(
      `insert into files (repo_id, from_seq, to_seq, closed_at, path, blob_id)
        select f.repo_id, $4::int, $5::int, case when $5::int is not null then now() end, $2 || '/' || $4::int || '-' || n, f.blob_id
        from files f join repos r on r.id = f.repo_id join accounts o on o.id = r.owner_id, generate_series(1, $3::int) n
        where o.handle || '/' || r.slug = $1 and f.path = 'data/old'`,
      [name, folder, count, seq, to],
    )

  it('is one statement for any number of paths, and one more for all large folders', async () => {
    const { person, name, last } = await withCommits()
    const key = await hub.key(person)
    await addTo(name, 'full', MAX_FOLDER_VERSIONS, 2)
    await addTo(name, 'over', MAX_FOLDER_VERSIONS + 1, 1)
    await addTo(name, 'other', MAX_FOLDER_VERSIONS + 1, 2)
    expect(await last(key, '3', ['over', 'over/1-7', 'full', 'other', 'ov'])).toEqual([
      'over 1',
      'over/1-7 1',
      'full 2',
      'other 2',
    ])
    const cost = (paths: readonly string[]) =>
      statementsOf(hub.running.deps.db, async () => expect((await last(key, '3', paths)).length).toBe(paths.length))
    const many = Array.from({ length: 98 }, (_, at) => `full/2-${at + 1}`)
    // The credential, the repo, the state, the commits.
    expect([await cost(['full']), await cost(['full', ...many])]).toEqual([4, 4])
    expect([await cost(['over']), await cost(['over', 'other', ...many])]).toEqual([5, 5])
  })

  it('says it of large folders, by all of their versions or the newest files of the repo, and no guess', async () => {
    const { person, name, last } = await withCommits()
    await addTo(name, 'one', MAX_FOLDER_VERSIONS + 1, 1)
    await addTo(name, 'late', MAX_FOLDER_VERSIONS + 1, 1)
    await addTo(name, 'late', 1, 2)
    await addTo(name, 'lost', MAX_FOLDER_VERSIONS + 1, 1)
    await addTo(name, 'lost/gone', 1, 1, 2)
    await addTo(name, 'gone', MAX_FOLDER_VERSIONS + 1, 1, 2)
    const paths = ['one', 'late', 'lost', 'gone']
    const middle = ['one 1', 'late 2', 'lost 2']
    expect(await last(person, '3', paths)).toEqual(middle)
    expect(await last(person, '1', paths)).toEqual(['one 1', 'late 1', 'lost 1', 'gone 1'])
    await addTo(name, 'newer', MAX_NEWEST_FILES, 3)
    expect(await last(person, '3', [...paths, 'newer'])).toEqual([...middle, 'newer 3'])
    expect(await last(person, '2', paths)).toEqual(middle)
    // With so many folders the share of each is too small: what the newest files do not tell is left out.
    const share = MAX_LARGE_VERSIONS / 100
    await addTo(name, 'one/more', share, 1)
    await addTo(name, 'newest', share + 1, 3)
    const many = Array.from({ length: 98 }, () => 'late')
    expect(await last(person, '3', ['one', 'newest', ...many])).toEqual(['newest 3', ...many.map(() => 'late 2')])
    expect(await last(person, '2', ['one', ...many, 'late'])).toEqual(['one 1', 'late 2', ...many.map(() => 'late 2')])
  })

  it('is asked for a few times in one operation: each may read far more than it answers', async () => {
    const { person, name } = await withCommits()
    const [owner, slug] = name.split('/')
    const times = (count: number) => {
      const all = Array.from({ length: count }, (_, at) => `a${at}: lastCommits(paths: ["data"]) { path }`)
      const document = `query ($owner: String!, $slug: String!) {
        repo(owner: $owner, slug: $slug) { at(state: "1") { ${all.join(' ')} } } }`
      return hub.graphql(person, document, { owner, slug })
    }
    expect((await times(5)).errors).toBeUndefined()
    expect((await times(11)).errors[0].extensions.problem.type).toBe('/problems/limit.cost')
  })
})
