import { describe, expect, it } from 'vitest'
import { contractHub, type Who } from '../support/hub.ts'
import { statementsOf } from '../support/request-statements.ts'

const hub = contractHub({}, { alone: true })

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

  it('is one statement for any number of paths, and leaves out a folder of more than 1,000 files', async () => {
    const { person, name, last } = await withCommits()
    const key = await hub.key(person)
    await hub.sql(
      `insert into files (repo_id, from_seq, path, blob_id) select f.repo_id, 3, folder || '/' || n, f.blob_id
        from files f join repos r on r.id = f.repo_id join accounts o on o.id = r.owner_id, (values ('full', 1000), ('over', 1001)) s(folder, most),
          generate_series(1, most) n where o.handle || '/' || r.slug = $1 and f.path = 'data/old'`,
      [name],
    )
    expect(await last(key, '3', ['over', 'over/7', 'full'])).toEqual(['over/7 3', 'full 3'])
    const cost = (paths: readonly string[]) =>
      statementsOf(hub.running.deps.db, async () => expect((await last(key, '3', paths)).length).toBe(paths.length))
    const many = Array.from({ length: 99 }, (_, at) => `full/${at + 1}`)
    // The credential, the repo, the state, the commits.
    expect([await cost(['full']), await cost(['full', ...many])]).toEqual([4, 4])
  })
})
