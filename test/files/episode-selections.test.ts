/** Episodes under a name: never changed, counted, fingerprinted, and named by runs. Contract, "Selections of episodes". */
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person, types } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let repo: string

const infoOf = (episodes: number) =>
  JSON.stringify({ codebase_version: 'v2.1', fps: 30, total_episodes: episodes, total_frames: 80, features: {} })

beforeAll(async () => {
  ada = await hub.person()
  repo = await hub.repo(ada)
  await hub.upload(ada, repo, { 'meta/info.json': infoOf(8) })
})

const select = (body: Json, at = repo) => hub.call(ada, 'POST', `/v1/repos/${at}/episode-selections`, body)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('a selection of episodes', () => {
  it('is a list, or all but a list, and equal lists have equal fingerprints', async () => {
    const kept = await select({ name: 'first', keep: '2, 0-1, 5', note: 'by eye' })
    expect([kept.status, kept.json]).toMatchObject([
      201,
      { episodes: '0-2,5', count: 4, total: 8, seq: 1, fingerprint: sha256('0-2,5'), note: 'by eye' },
    ])
    const dropped = await select({ name: 'second', drop: '3-4,6-7' })
    expect(dropped.json).toMatchObject({ episodes: '0-2,5', fingerprint: kept.json.fingerprint })
    const again = await select({ name: 'first', keep: '0' })
    expect([again.status, types(again)]).toEqual([409, ['conflict.taken']])
    const path = `/v1/repos/${repo}/episode-selections`
    const page = (await hub.call(ada, 'GET', `${path}?limit=1`)).json
    const next = (await hub.call(ada, 'GET', `${path}?limit=1&cursor=${page.next_cursor}`)).json
    expect([...page.items, ...next.items].map(({ name }: Json) => name)).toEqual(['first', 'second'])
    expect((await hub.call(ada, 'GET', `${path}?name=second`)).json.items).toEqual([dropped.json])
  })

  it('is of a million episodes as it is of one', async () => {
    const own = await hub.repo(ada)
    await hub.upload(ada, own, { 'meta/info.json': infoOf(1_000_000) })
    const of = async (body: Json) => (await select(body, own)).json
    expect(await of({ name: 'all', keep: '0-499999,250000-999999' })).toMatchObject({
      ...{ episodes: '0-999999', count: 1_000_000, total: 1_000_000, fingerprint: sha256('0-999999') },
    })
    expect(await of({ name: 'rest', drop: '1,3-999998' })).toMatchObject({ episodes: '0,2,999999', count: 3 })
  })

  it('is what labels say', async () => {
    const own = await hub.repo(ada)
    await hub.upload(ada, own, { 'meta/info.json': infoOf(10) })
    const label = (body: Json) => hub.call(ada, 'POST', `/v1/repos/${own}/episode-labels`, body)
    await label({ episodes: [1, 2], choice: 'keep' })
    await label({ episodes: [3], choice: 'drop', outcome: 'success' })
    await label({ episodes: [2], choice: 'drop' })
    // Of a data set that was longer.
    await label({ episodes: [9], choice: 'keep', outcome: 'success' })
    await hub.upload(ada, own, { 'meta/info.json': infoOf(5) })
    const episodes = async (labels: string) => (await select({ name: labels, labels }, own)).json.episodes
    expect(await Promise.all(['kept', 'not_dropped', 'successful'].map(episodes))).toEqual(['1', '0-1,4', '3'])
  })

  it('is refused where it says nothing, or of episodes that are not there', async () => {
    for (const body of [
      { name: 'x' },
      { name: 'x', keep: '1', drop: '2' },
      { name: 'x', keep: '8' },
      { name: 'x', keep: '3-1' },
      { name: 'x', drop: '0-7' },
      { name: 'x', labels: 'successful' },
      { name: 'X', keep: '1' },
    ])
      expect((await select(body)).status).toBe(422)
    const refused = await select({ name: 'x', keep: '1' }, await hub.repo(ada))
    expect([refused.status, types(refused)]).toEqual([409, ['conflict.wrong_kind']])
  })
})

describe('a run that names a selection', () => {
  const run = (dataset: string) =>
    hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act', executor: 'worker', dataset: [dataset] } })

  it('keeps its name, count and fingerprint, and pins the files that it is of', async () => {
    const own = await hub.repo(ada)
    await hub.upload(ada, own, { 'meta/info.json': infoOf(8) })
    const { fingerprint, seq } = (await select({ name: 'clean', drop: '7' }, own)).json
    await hub.upload(ada, own, { 'meta/info.json': infoOf(9) })
    const made = await run(`svc://${own}#clean`)
    expect([made.status, made.json.datasets]).toEqual([
      201,
      [
        {
          ref: `svc://${own}#clean`,
          repo_id: expect.any(String),
          seq,
          selection: { name: 'clean', count: 7, fingerprint },
        },
      ],
    ])
    const { datasets } = (await run(`svc://${own}`)).json
    expect(datasets).toMatchObject([{ seq: seq + 1, selection: null }])
  })

  it('is refused where the data set has no such selection, or its files are gone', async () => {
    const own = await hub.repo(ada)
    await hub.upload(ada, own, { 'meta/info.json': infoOf(8) })
    const missing = await run(`svc://${own}#clean`)
    expect([missing.status, missing.json.detail]).toEqual([422, expect.stringContaining('hub data select')])
    const recipe = { template: 'act', dataset: ['exthub://a/b', `svc://${own}#clean`] }
    for (const verb of ['estimate', 'recommend']) {
      const refused = await hub.call(ada, 'POST', `/v1/runs/${verb}`, { recipe })
      expect([verb, refused.status, refused.json.errors]).toMatchObject([
        verb,
        422,
        [{ type: 'validation.value', loc: ['body', 'recipe', 'dataset', 1] }],
      ])
    }
    await select({ name: 'clean', drop: '7' }, own)
    await hub.upload(ada, own, { 'meta/info.json': infoOf(9) })
    await hub.sql('delete from repo_changes where seq = 1 and repo_id = (select id from repos where slug = $1)', [
      own.split('/')[1],
    ])
    expect((await run(`svc://${own}#clean`)).json.detail).toContain('are gone')
    expect((await run(`svc://${own}#no/name`)).status).toBe(422)
    // Of a repo that the caller cannot see, as a create keeps it.
    const unseen = { recipe: { template: 'act', dataset: ['svc://nobody/nothing#clean'] } }
    expect((await hub.call(ada, 'POST', '/v1/runs/estimate', unseen)).status).toBe(200)
  })
})
