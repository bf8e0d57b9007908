import { beforeAll, describe, expect, it } from 'vitest'
import { parseDatasetInfo } from '../../src/repos/dataset-info.ts'
import { contractHub, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person

beforeAll(async () => {
  ada = await hub.person()
})

const info = (change: Record<string, unknown> = {}) =>
  JSON.stringify({
    codebase_version: 'v2.1',
    robot_type: 'so100',
    total_episodes: 50,
    total_frames: 11_939,
    total_tasks: 1,
    fps: 30,
    splits: { train: '0:50' },
    features: {},
    ...change,
  })

const metaOf = async (name: string) => (await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.dataset_meta

describe('a dataset repo whose meta/info.json is completed gets its dataset_meta from it', () => {
  it.each(['v2.0', 'v2.1', 'v3.0'])('of LeRobot %s', async (codebase_version) => {
    const name = await hub.repo(ada)
    expect(await metaOf(name)).toBeUndefined()
    await hub.upload(ada, name, { 'meta/info.json': info({ codebase_version }), 'README.md': '# data' })
    expect(await metaOf(name)).toEqual({
      episode_count: 50,
      total_frames: 11_939,
      fps: 30,
      robot_type: 'so100',
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    const graph = await hub.graphql(
      ada,
      `query ($owner: String!, $slug: String!) { repo(owner: $owner, slug: $slug) { datasetMeta { episodeCount fps } } }`,
      { owner: ada.handle, slug: name.split('/')[1] },
    )
    expect(graph).toEqual({ data: { repo: { datasetMeta: { episodeCount: 50, fps: 30 } } } })
  })

  it('is read again when the file is uploaded again, and replaces a manual meta block', async () => {
    const name = await hub.repo(ada)
    await hub.call(ada, 'PUT', `/v1/datasets/${name}/meta`, { episode_count: 1, total_frames: 2 })
    await hub.upload(ada, name, { 'meta/info.json': info({ robot_type: null, fps: null }) })
    expect(await metaOf(name)).toMatchObject({ episode_count: 50, robot_type: null, fps: null })
    await hub.upload(ada, name, { 'meta/info.json': info({ total_episodes: 51 }) })
    expect(await metaOf(name)).toMatchObject({ episode_count: 51, robot_type: 'so100' })
  })

  it.each([
    ['is no JSON', '{"codebase_version": "v2.1",'],
    ['is no object', 'null'],
    ['is of another version', info({ codebase_version: 'v1.6' })],
    ['counts less than nothing', info({ total_episodes: -1 })],
    ['holds a count that is not a number', info({ total_frames: '11939' })],
    ['is empty', ''],
    ['is far too large to be one', `${info()}${' '.repeat(1024 * 1024)}`],
  ])('but a file that %s is stored like any other and leaves the block as it is', async (_what, bytes) => {
    const name = await hub.repo(ada)
    await hub.upload(ada, name, { 'meta/info.json': bytes })
    expect(await metaOf(name)).toBeUndefined()
    expect((await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.file_summary.count).toBe(1)
  })

  it('but neither a model repo nor a file of another path has one', async () => {
    const model = await hub.repo(ada, { kind: 'model' })
    await hub.upload(ada, model, { 'meta/info.json': info() })
    expect(await metaOf(model)).toBeUndefined()
    const dataset = await hub.repo(ada)
    await hub.upload(ada, dataset, { 'data/meta/info.json': info() })
    expect(await metaOf(dataset)).toBeUndefined()
  })
})

describe('the block that was read of a meta/info.json', () => {
  const counted = async () => {
    const name = await hub.repo(ada)
    await hub.upload(ada, name, { 'meta/info.json': info({ total_episodes: 3 }), 'README.md': '# data' })
    return name
  }
  const label = (name: string, episode: number) =>
    hub.call(ada, 'POST', `/v1/repos/${name}/episode-labels`, { episodes: [episode], choice: 'keep' })
  const change: Record<string, (name: string) => Promise<unknown>> = {
    'is deleted': (name) => hub.call(ada, 'POST', `/v1/repos/${name}/files/delete`, { paths: ['meta/info.json'] }),
    'is deleted by a commit': (name) => hub.call(ada, 'POST', `/v1/repos/${name}/commits`, { delete: ['meta/'] }),
    'is purged': (name) => hub.call(ada, 'POST', `/v1/repos/${name}/files/purge`, { paths: ['meta/info.json'] }),
    'is replaced by one that says nothing': (name) => hub.upload(ada, name, { 'meta/info.json': 'null' }),
    'is not in the state that is restored': (name) => hub.call(ada, 'POST', `/v1/repos/${name}/restore`, { at: '0' }),
  }

  it.each(Object.keys(change))('goes when the file %s, and with it what it refused', async (how) => {
    const name = await counted()
    expect([(await metaOf(name)).episode_count, (await label(name, 7)).status]).toEqual([3, 422])
    await change[how]?.(name)
    expect([await metaOf(name), (await label(name, 7)).status]).toEqual([undefined, 200])
    // A file that comes back brings it.
    await hub.upload(ada, name, { 'meta/info.json': info({ total_episodes: 4 }) })
    expect([(await metaOf(name)).episode_count, (await label(name, 8)).status]).toEqual([4, 422])
  })

  it('stays with changes of other files, with the same bytes sent again, and comes back with a restored state', async () => {
    const name = await counted()
    await hub.upload(ada, name, { 'data/a.parquet': 'a' })
    await hub.upload(ada, name, { 'meta/info.json': info({ total_episodes: 3 }) })
    await hub.call(ada, 'POST', `/v1/repos/${name}/files/delete`, { paths: ['data/a.parquet'] })
    expect((await metaOf(name)).episode_count).toBe(3)
    await hub.call(ada, 'POST', `/v1/repos/${name}/files/delete`, { paths: ['meta/info.json'] })
    expect(await metaOf(name)).toBeUndefined()
    await hub.call(ada, 'POST', `/v1/repos/${name}/restore`, { at: '1' })
    expect((await metaOf(name)).episode_count).toBe(3)
    await hub.call(ada, 'POST', `/v1/repos/${name}/files/delete`, { paths: ['meta/info.json'] })
    expect(await metaOf(name)).toBeUndefined()
  })

  it('and one that a person has put stays, whatever files go', async () => {
    const name = await counted()
    await hub.call(ada, 'PUT', `/v1/datasets/${name}/meta`, { episode_count: 9, total_frames: 90 })
    await hub.call(ada, 'POST', `/v1/repos/${name}/files/delete`, { paths: ['meta/info.json', 'README.md'] })
    expect((await metaOf(name)).episode_count).toBe(9)
  })
})

it('a file of half a million levels or values is none, and nothing of it is parsed', () => {
  const known = { codebase_version: 'v2.1', total_episodes: 1, total_frames: 2 }
  const withMember = (text: string) => Buffer.from(`${JSON.stringify(known).slice(0, -1)},"x":${text}}`)
  expect(parseDatasetInfo(withMember(`[${'1,'.repeat(40_000)}1]`))).toMatchObject({ episodeCount: 1, totalFrames: 2 })
  for (const text of [`${'['.repeat(500_000)}${']'.repeat(500_000)}`, `[${'1,'.repeat(500_000)}1]`])
    expect(parseDatasetInfo(withMember(text))).toBeNull()
})
