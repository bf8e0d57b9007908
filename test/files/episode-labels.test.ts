/** What people say of episodes: current, in the history, undone and done again, exact. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, places } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let path: string

beforeAll(async () => {
  ada = await hub.person()
  path = `/v1/repos/${await hub.repo(ada, { visibility: 'public' })}/episode-labels`
})

const say = async (body: Json, to = path) => (await hub.call(ada, 'POST', to, body)).json.labels
const now = async (at = path) => (await hub.call(ada, 'GET', `${at}?limit=100`)).json.items
const told = (labels: Json[]) => labels.map(({ episode, choice, outcome, note }) => [episode, choice, outcome, note])
const fresh = async () => `/v1/repos/${await hub.repo(ada)}/episode-labels`

describe('labels of episodes', () => {
  it('keep what is left out, lose what is null, and stay in the history', async () => {
    const own = await fresh()
    expect(told(await say({ episodes: [7, 3, 7], choice: 'drop', note: 'slipped' }, own))).toEqual([
      [3, 'drop', null, 'slipped'],
      [7, 'drop', null, 'slipped'],
    ])
    await say({ episodes: [3], outcome: 'failure', note: null }, own)
    expect(told(await now(own))).toEqual([
      [3, 'drop', 'failure', null],
      [7, 'drop', null, 'slipped'],
    ])
    const { items } = (await hub.call(ada, 'GET', `${own}/history`)).json
    expect(items).toHaveLength(3)
    expect(items[0]).toMatchObject({ episode: 3, is_current: true, undone_id: null, creator: { handle: ada.handle } })
    const earlier = items.find(({ id }: Json) => id === items[0].previous_id)
    expect(earlier).toMatchObject({ episode: 3, note: 'slipped', is_current: false })
  })

  it('said again change nothing', async () => {
    const own = await fresh()
    const [first] = await say({ episodes: [0], choice: 'keep' }, own)
    expect(await say({ episodes: [0], choice: 'keep' }, own)).toEqual([first])
    expect((await hub.call(ada, 'GET', `${own}/history`)).json.items).toEqual([first])
  })

  it('are undone to what was before, and done again, all or none', async () => {
    const own = await fresh()
    await say({ episodes: [1], choice: 'keep' }, own)
    const labels = await say({ episodes: [1, 2], choice: 'drop' }, own)
    const ids = labels.map(({ id }: Json) => id)
    const undone = await say({ labels: ids }, `${own}/undo`)
    expect(told(undone)).toEqual([
      [1, 'keep', null, null],
      [2, null, null, null],
    ])
    expect(undone.map(({ undone_id }: Json) => undone_id)).toEqual(ids)
    const again = await hub.call(ada, 'POST', `${own}/undo`, { labels: [undone[1].id, ids[0]] })
    expect([again.status, again.json.type]).toEqual([412, expect.stringContaining('precondition.failed')])
    expect(told(await now(own))).toEqual(told(undone))
    const redone = await say({ labels: undone.map(({ id }: Json) => id) }, `${own}/undo`)
    expect(told(redone)).toEqual(told(labels))
    expect((await hub.call(ada, 'POST', `${own}/undo`, { labels: ['label_none'] })).status).toBe(404)
  })

  it('are listed page by page, and in the graph', async () => {
    const own = await fresh()
    await say({ episodes: [5, 2, 9], outcome: 'success' }, own)
    const first = (await hub.call(ada, 'GET', `${own}?limit=2`)).json
    expect(first.items.map(({ episode }: Json) => episode)).toEqual([2, 5])
    const rest = (await hub.call(ada, 'GET', `${own}?limit=2&cursor=${first.next_cursor}`)).json
    expect([rest.items.map(({ episode }: Json) => episode), rest.next_cursor]).toEqual([[9], null])
    expect((await hub.call(ada, 'GET', `${own}?cursor=${newName()}`)).status).toBe(422)
  })

  it('of requests at once leave one current label of an episode', async () => {
    const own = await fresh()
    const choices = ['keep', 'drop', 'keep', 'drop']
    await Promise.all(choices.map((choice, at) => say({ episodes: [0, 1], choice, note: `${at}` }, own)))
    expect((await now(own)).map(({ episode }: Json) => episode)).toEqual([0, 1])
    const { items } = (await hub.call(ada, 'GET', `${own}/history?limit=100`)).json
    const before = items.map(({ previous_id }: Json) => previous_id).filter((id: unknown) => id !== null)
    expect(new Set(before).size).toBe(before.length)
    expect(items).toHaveLength(8)
  })

  it('are of episodes that the data set has, where it counts them; others can be undone and cleared', async () => {
    const repo = await hub.repo(ada)
    const own = `/v1/repos/${repo}/episode-labels`
    const info = (total_episodes: number) =>
      hub.upload(ada, repo, {
        'meta/info.json': JSON.stringify({ codebase_version: 'v2.1', fps: 30, total_episodes, total_frames: 90 }),
      })
    await info(10)
    const [label] = await say({ episodes: [9], choice: 'keep', note: 'good' }, own)
    await info(3)
    const refused = await hub.call(ada, 'POST', own, { episodes: [0, 3, 9], outcome: 'failure' })
    expect([refused.status, places(refused), refused.json.errors[0].detail]).toEqual([
      ...[422, [['body', 'episodes', 1]]],
      `${repo} has no episode 3: its last one is 2. If it has more, push its meta/info.json first.`,
    ])
    const { errors } = await hub.graphql(
      ada,
      'mutation($input: LabelEpisodesInput!) { labelEpisodes(input: $input) { labels { id } } }',
      { input: { owner: repo.split('/')[0], repo: repo.split('/')[1], episodes: [3], choice: 'KEEP' } },
    )
    expect(errors[0].extensions.problem).toMatchObject({
      errors: [{ loc: ['input', 'episodes', 0], detail: refused.json.errors[0].detail }],
    })
    // All or none.
    expect(told(await now(own))).toEqual([[9, 'keep', null, 'good']])
    // What it says already is no new label.
    expect(await say({ episodes: [9], choice: 'keep' }, own)).toEqual([label])
    const [undone] = await say({ labels: [label.id] }, `${own}/undo`)
    expect(told(await say({ labels: [undone.id] }, `${own}/undo`))).toEqual([[9, 'keep', null, 'good']])
    expect((await hub.call(ada, 'POST', own, { episodes: [9], note: 'better' })).status).toBe(422)
    expect(told(await say({ episodes: [9], note: null }, own))).toEqual([[9, 'keep', null, null]])
    expect(told(await say({ episodes: [9], choice: null }, own))).toEqual([[9, null, null, null]])
    expect(told(await say({ episodes: [2], choice: 'drop' }, own))).toEqual([[2, 'drop', null, null]])
  })

  it('are for callers who can write the repo; others who see it read them, without their authors', async () => {
    await say({ episodes: [0], note: 'mine' })
    const eve = await hub.person()
    expect((await hub.call(eve, 'POST', path, { episodes: [0], note: 'hers' })).status).toBe(403)
    const { items } = (await hub.call(eve, 'GET', path)).json
    expect(items).toMatchObject([{ episode: 0, note: 'mine', creator: null }])
    expect((await hub.call(ada, 'POST', path, { episodes: [], choice: 'keep' })).status).toBe(422)
    expect((await hub.call(ada, 'POST', path, { episodes: [-1], choice: 'keep' })).status).toBe(422)
  })
})
