/** Lists of repos, and their files where a client asks for all of a repo. */
import { describe, expect, it } from 'vitest'
import { contractHub } from '../support/hub.ts'
import { hfClient, refusal } from './support/hf-client.ts'

const hub = contractHub()
const hf = hfClient(hub)

const files = { 'README.md': '# pick\n', 'data/a/1.bin': 'one', 'data/b.bin': 'b' }

describe('a list of models', () => {
  it('has robots among them, in one order, page by page', async () => {
    const person = await hub.person()
    const kinds = ['model', 'robot', 'robot', 'model', 'dataset', 'robot', 'model'] as const
    const made: { name: string; kind: string }[] = []
    for (const kind of kinds) made.push({ name: await hub.repo(person, { kind }), kind })
    const [oldest] = made
    const listed = async (query: string) => {
      const pages: string[][] = []
      let next: string | undefined = `/api/models?author=${person.handle}&${query}`
      while (next) {
        const page = await hf.get(person, next)
        pages.push(page.json.map(({ id }: { id: string }) => id))
        next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1]
      }
      return pages
    }
    const newest = made
      .filter(({ kind }) => kind !== 'dataset')
      .map(({ name }) => name)
      .reverse()
    expect(await listed('limit=100')).toEqual([newest])
    expect(await listed('limit=2')).toEqual([newest.slice(0, 2), newest.slice(2, 4), newest.slice(4)])
    expect((await listed('limit=1')).flat()).toEqual(newest)
    await hub.call(person, 'PATCH', `/v1/repos/${oldest?.name}`, { description: 'changed' })
    expect((await listed('limit=4&sort=lastModified')).flat()).toEqual([oldest?.name, ...newest.slice(0, -1)])
    expect(refusal(await hf.get(person, '/api/models?cursor=x'))).toEqual([400, 'BadRequest'])
    expect(refusal(await hf.get(person, '/api/models?cursor=x~y'))).toEqual([400, 'ValidationCursor'])
  })
})

describe('the files of the repos of a list', () => {
  it('are there where all of a repo is asked for, and no others', async () => {
    const person = await hub.person()
    const empty = await hf.dataset(person, {})
    const full = await hf.dataset(person, files)
    const listed = async (query: string) =>
      (await hf.get(person, `/api/datasets?author=${person.handle}&${query}`)).json
    const siblings = Object.keys(files).map((rfilename) => ({ rfilename }))
    for (const query of ['full=True', 'full=true&limit=2'])
      expect(await listed(query)).toEqual([
        expect.objectContaining({ id: full, siblings }),
        expect.objectContaining({ id: empty, siblings: [] }),
      ])
    expect(await listed('expand=siblings')).toEqual([
      { _id: full, id: full, siblings },
      { _id: empty, id: empty, siblings: [] },
    ])
    for (const query of ['', 'full=false', 'cardData=true'])
      for (const repo of await listed(query)) expect(repo).not.toHaveProperty('siblings')
  })

  it('end a page early where they are many, and no repo is left out', async () => {
    const person = await hub.person()
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`f/${`${n}`.padStart(4, '0')}`, '']))
    const names: string[] = []
    for (let made = 0; made < 12; made += 1) {
      const name = await hub.repo(person, { kind: 'model' })
      const add = Object.keys(many).map((path) => ({ path, content: '' }))
      for (const part of [add.slice(0, 1000), add.slice(1000)])
        expect((await hub.call(person, 'POST', `/v1/repos/${name}/commits`, { add: part })).status).toBe(200)
      names.push(name)
    }
    const first = await hf.get(person, `/api/models?author=${person.handle}&full=true`)
    const [, next = ''] = /^<([^>]+)>/.exec(first.headers.get('link') ?? '') ?? []
    const second = await hf.get(person, next)
    expect(first.json).toHaveLength(10)
    expect(first.json[0].siblings).toHaveLength(1000)
    expect(second.headers.get('link')).toBeNull()
    expect([...first.json, ...second.json].map(({ id }: { id: string }) => id)).toEqual(names.reverse())
  })
})
