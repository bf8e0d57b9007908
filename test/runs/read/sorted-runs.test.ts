/** Lists of runs by what people keep them by, and sorted by a metric, through both dialects and the command line. */
import { beforeAll, describe, expect, it } from 'vitest'
import { registerRunCommands } from '../../../packages/cli/src/run-commands.ts'
import { runCommandLine } from '../../support/command-line.ts'
import { contractHub, type Json, type Person } from '../../support/hub.ts'

const hub = contractHub()
let ada: Person
let key: string
const idOf = new Map<string, string>()

/** The runs in the order in which they are made, with the losses that each reports. */
const made = [
  ['one', { project: 'arm', tags: ['a', 'b'], group: 'g1' }, [3, 1, 2]],
  ['two', { project: 'arm', tags: ['a'] }, [0.5, 4]],
  ['three', { project: 'leg', tags: ['b'], group: 'g1' }, [2]],
  ['four', { notes: 'no loss' }, []],
  ['Five 100%', { project: 'leg' }, [1e-5, 2]],
] as const

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
  for (const [name, kept, losses] of made) {
    const recipe = { template: name === 'three' ? 'ppo' : 'act' }
    const run = (await hub.call(key, 'POST', '/v1/runs/start', { recipe, worker: 'w', name, ...kept })).json
    const metrics = losses.map((loss, at) => ({ step: at + 1, loss, lr: 1 - loss }))
    await hub.call(key, 'POST', `/v1/runs/${run.id}/report`, { attempt: run.attempt, metrics })
    idOf.set(run.id, name)
  }
})

const list = (query: string) => hub.call(key, 'GET', `/v1/runs?${query}`)
const namesOf = async (query: string) => ((await list(query)).json.items as Json[]).map(({ id }) => idOf.get(id))

describe('the list of runs', () => {
  it.each([
    ['project=arm', ['two', 'one']],
    ['group=g1', ['three', 'one']],
    ['template=ppo', ['three']],
    ['tag=a', ['two', 'one']],
    ['tag=a&tag=b', ['one']],
    ['tag=none', []],
    ['q=OU', ['four']],
    ['q=five', ['Five 100%']],
    ['q=0%25', ['Five 100%']],
    ['q=_', []],
    ['q=ppo', ['three']],
    ['project=arm&tag=b&q=on', ['one']],
    ['project=none', []],
    ['project=&q=&tag=', ['Five 100%', 'four', 'three', 'two', 'one']],
  ])('of %s', async (query, names) => {
    expect(await namesOf(query)).toEqual(names)
  })

  it('finds a run by its id and by the end of it, which the name has that the hub makes', async () => {
    for (const [id, name] of idOf) {
      expect(await namesOf(`q=${id}`)).toEqual([name])
      expect(await namesOf(`q=${id.slice(-6)}`)).toContain(name)
    }
  })

  it('has a tag that is the id of the owner as any other', async () => {
    expect(await namesOf(`tag=${ada.id}`)).toEqual([])
  })
})

describe('a list sorted by a metric', () => {
  it.each([
    // A loss is the better the lower.
    ['sort_metric=loss', ['three', 'Five 100%', 'one', 'two'], [2, 2, 2, 4]],
    ['sort_metric=loss&order=desc', ['two', 'Five 100%', 'three', 'one'], [4, 2, 2, 2]],
    ['sort_metric=loss&sort_by=best', ['Five 100%', 'two', 'one', 'three'], [1e-5, 0.5, 1, 2]],
    ['sort_metric=loss&sort_by=mean&order=desc', ['two', 'three', 'one', 'Five 100%'], [2.25, 2, 2, 1.000005]],
    ['sort_metric=loss&sort_by=max&order=desc', ['two', 'one', 'Five 100%', 'three'], [4, 3, 2, 2]],
    ['sort_metric=lr&sort_by=min&project=arm', ['one', 'two'], [-2, -3]],
    ['sort_metric=loss&q=ppo', ['three'], [2]],
    ['sort_metric=none', [], []],
  ])('%s', async (query, names, values) => {
    const { json } = await list(query)
    const items = json.items as Json[]
    expect(items.map((run) => run.sort_value)).toEqual(values)
    // Runs with one value stand in the order of their ids.
    const ascending = !query.includes('desc') && !query.includes('lr')
    const expected = names.map((name, at) => ({
      name,
      value: values[at] ?? 0,
      made: made.findIndex(([one]) => one === name),
    }))
    expected.sort((a, b) => (ascending ? a.value - b.value || a.made - b.made : b.value - a.value || b.made - a.made))
    expect(items.map(({ id }) => idOf.get(id))).toEqual(expected.map(({ name }) => name))
  })

  it('is the same page by page, and has no value elsewhere', async () => {
    for (const query of ['sort_metric=loss', 'sort_metric=loss&order=desc', 'sort_metric=loss&sort_by=best']) {
      const whole = await namesOf(query)
      const paged: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { json }: { json: Json } = await list(`${query}&limit=1${cursor ? `&cursor=${cursor}` : ''}`)
        paged.push(...(json.items as Json[]).map(({ id }) => idOf.get(id)))
        cursor = json.next_cursor
      }
      expect(paged).toEqual(whole)
    }
    const items = (await list('')).json.items as Json[]
    expect(items.map((run) => run.sort_value)).toEqual([null, null, null, null, null])
  })

  it('refuses the cursor of another order, and an order that there is not', async () => {
    const { json } = await list('sort_metric=loss&limit=1')
    expect((await list(`limit=1&cursor=${json.next_cursor}`)).status).toBe(422)
    expect((await list(`sort_metric=loss&order=desc&cursor=${json.next_cursor}`)).status).toBe(422)
    const refused = await list('sort_metric=lr&sort_by=best')
    expect([refused.status, refused.json.errors[0].loc]).toEqual([422, ['query', 'sort_by']])
    expect((await list('sort_by=best')).status).toBe(422)
    expect((await list('order=asc')).status).toBe(422)
  })

  it('is of the runs that the caller sees', async () => {
    const stranger = await hub.key(await hub.person(), { scope: 'read' })
    expect((await hub.call(stranger, 'GET', '/v1/runs?sort_metric=loss')).json.items).toEqual([])
    const few = await hub.key(ada, { scope: 'read', repos: [await hub.repo(ada)] })
    expect((await hub.call(few, 'GET', '/v1/runs?sort_metric=loss')).json.items).toEqual([])
  })

  it('is a list of the graph', async () => {
    const query = '{ runs(sortMetric: "loss", sortBy: BEST, project: "arm") { nodes { name sortValue } } }'
    expect((await hub.graphql(ada, query)).data.runs?.nodes).toEqual([
      { name: 'two', sortValue: 0.5 },
      { name: 'one', sortValue: 1 },
    ])
  })

  it('is a list of `hub runs`, with the value of each', async () => {
    const env = { HUB_URL: hub.running.url, HUB_TOKEN: key }
    const { out } = await runCommandLine(
      registerRunCommands,
      ['runs', '--sort', 'loss', '--by', 'best', '--tag', 'a'],
      env,
    )
    expect(out.split('\n').map((row) => row.split(/ +/).slice(-2))).toEqual([
      ['0.5', 'two'],
      ['1', 'one'],
      ['2', 'runs'],
      [''],
    ])
    const found = await runCommandLine(registerRunCommands, ['runs', '-q', 'FIVE', '--json'], env)
    expect(JSON.parse(found.out).runs).toMatchObject([{ name: 'Five 100%' }])
  })
})
