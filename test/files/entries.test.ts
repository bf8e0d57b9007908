import { describe, expect, it } from 'vitest'
import { contractHub, type Person } from '../support/hub.ts'

const hub = contractHub()

describe('Repo.at.entries', () => {
  it('says what a state has at some paths: files, and folders because a file is in them', async () => {
    const person = await hub.person()
    const name = await hub.repo(person)
    await hub.upload(person, name, { 'data/a.bin': 'a', data0: 'x', 'x/y': 'z' })
    const [owner = '', slug = ''] = name.split('/')
    const read = (state: string, paths: readonly string[]) =>
      hub.graphql(
        person,
        `query ($owner: String!, $slug: String!, $state: String!, $paths: [String!]!) {
          repo(owner: $owner, slug: $slug) { at(state: $state) { entries(paths: $paths) { path file { size } } } }
        }`,
        { owner, slug, state, paths },
      )
    const asked = ['x', 'data/a.bin', 'data', 'dat', 'data/a', 'x/y/z']
    const { data } = await read('1', asked)
    expect(data.repo.at.entries).toEqual([
      { path: 'x', file: null },
      { path: 'data/a.bin', file: { size: 1 } },
      { path: 'data', file: null },
    ])
    expect((await read('0', asked)).data.repo.at.entries).toEqual([])
    expect((await read('1', [])).data.repo.at.entries).toEqual([])
    const many = await read(
      '1',
      Array.from({ length: 1001 }, (_, index) => `${index}`),
    )
    expect(many.errors[0].extensions.code).toBe('UNPROCESSABLE')
  })
})

describe('GET /v1/repos/{owner}/{repo}/entries', () => {
  it('says the same of a named state', async () => {
    const person = await hub.person()
    const name = await hub.repo(person)
    await hub.upload(person, name, { 'data/a b.bin': 'a', 'x/y': 'z' })
    const { commit_id } = (await hub.call(person, 'GET', `/v1/repos/${name}/commits`)).json.items[0]
    const read = (query: string, who: Person | null = person) =>
      hub.call(who, 'GET', `/v1/repos/${name}/entries?${query}`)
    const { status, json } = await read(`at=${commit_id}&path=x&path=data%2Fa%20b.bin&path=nothing`)
    expect([status, json]).toMatchObject([
      200,
      {
        seq: 1,
        commit_id,
        entries: [
          { path: 'x', file: null },
          { path: 'data/a b.bin', file: { size: 1 } },
        ],
      },
    ])
    expect((await read('at=0&path=x')).json.entries).toEqual([])
    expect((await read('at=7&path=x')).status).toBe(404)
    expect((await read('path=x')).status).toBe(422)
    expect((await read('at=0&path=x', null)).status).toBe(404)
  })
})

describe('GET /v1/repos/{owner}/{repo}/tree', () => {
  it('starts at a path', async () => {
    const person = await hub.person()
    const name = await hub.repo(person)
    await hub.upload(person, name, { 'a/1': '1', b: 'b', 'c/1': 'c' })
    const { json } = await hub.call(person, 'GET', `/v1/repos/${name}/tree?start_at=a0&limit=1`)
    expect(json.items.map(({ path }: { path: string }) => path)).toEqual(['b'])
    const next = await hub.call(
      person,
      'GET',
      `/v1/repos/${name}/tree?start_at=a0&limit=1&cursor=${encodeURIComponent(json.next_cursor)}`,
    )
    expect(next.json.items.map(({ path }: { path: string }) => path)).toEqual(['c/1'])
  })
})

describe('Query.tree', () => {
  it('may start at a path, and passes over a folder so', async () => {
    const person = await hub.person()
    const name = await hub.repo(person)
    await hub.upload(person, name, { 'a/1': '1', 'a/2': '2', b: 'b', 'c/1': 'c' })
    const [owner = '', slug = ''] = name.split('/')
    const paths = async (rest: string) => {
      const { data } = await hub.graphql(
        person,
        `{ tree(owner: "${owner}", slug: "${slug}", ${rest}) { nodes { path } } }`,
      )
      return data.tree.nodes.map(({ path }: { path: string }) => path)
    }
    expect(await paths('startAt: "a0"')).toEqual(['b', 'c/1'])
    expect(await paths('startAt: "a0", at: "1"')).toEqual(['b', 'c/1'])
    expect(await paths('startAt: "a/2", prefix: "a/"')).toEqual(['a/2'])
    expect(await paths('startAt: "0", prefix: "c/", at: "1"')).toEqual(['c/1'])
  })
})
