/** A caller who fixes a request needs all of its faults at once, whatever checks them, in the names of the request. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person, places, types } from '../support/hub.ts'

const hub = contractHub({ COACH_MAX_ARTIFACT_BYTES: '1000' })
let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})

const faultsOf = async (method: string, path: string, body: unknown) => {
  const answer = await hub.call(ada, method, path, body)
  return [
    answer.status,
    places(answer)
      .map((loc) => loc.join('.'))
      .sort(),
  ]
}

describe('one response', () => {
  it('reports an unknown enum value and a violated text rule', async () => {
    const body = {
      kind: 'blimp',
      slug: 'Not A Slug',
      visibility: 'secret',
      description: 'x'.repeat(4001),
      tags: ['ok', 'Not'],
    }
    expect(await faultsOf('POST', '/v1/repos', body)).toEqual([
      422,
      ['body.description', 'body.kind', 'body.slug', 'body.tags.1', 'body.visibility'],
    ])
    const three = await hub.call(ada, 'POST', '/v1/repos', { kind: 'blimp', slug: 'Not A Slug', visibility: 'secret' })
    expect([three.json.errors.length, three.json.detail]).toEqual([
      3,
      expect.stringContaining('(and 2 more in errors)'),
    ])
  })

  it('names faults of a recipe at every depth, once each', async () => {
    const gate = {
      every_steps: 0,
      video: 'vhs',
      seeds: 'three',
      tripwires: [{ metric: 'x', op: '<', threshold: 1 }, 7],
    }
    const recipe = {
      template: '',
      dataset: ['nothing', 5, 'svc://a/b'],
      executor: 'moon',
      max_hours: -1,
      hyperparams: { a: '\u0000', b: ['\ud800'] },
      gate,
      seed: 1,
    }
    expect(await faultsOf('POST', '/v1/runs', { recipe, owner: 'Not A Handle' })).toEqual([
      422,
      [
        'body.owner',
        'body.recipe.dataset.0',
        'body.recipe.dataset.1',
        'body.recipe.executor',
        'body.recipe.gate.every_steps',
        'body.recipe.gate.seeds',
        'body.recipe.gate.tripwires.0.metric',
        'body.recipe.gate.tripwires.1',
        'body.recipe.gate.video',
        'body.recipe.hyperparams.a',
        'body.recipe.hyperparams.b.0',
        'body.recipe.max_hours',
        'body.recipe.seed',
        'body.recipe.template',
      ],
    ])
  })

  it('says the range that a number is out of, whichever bound it passes', async () => {
    const { json: repo } = await hub.call(ada, 'POST', '/v1/repos', { kind: 'dataset', slug: 'ranges' })
    const meta = `/v1/datasets/${repo.full_name}/meta`
    const put = async (episodes: number, frames: number) =>
      (await hub.call(ada, 'PUT', meta, { episode_count: episodes, total_frames: frames })).json.detail
    expect(await put(-1, 1)).toBe('body.episode_count: must be at least 0')
    expect(await put(2 ** 31, 1)).toBe('body.episode_count: must be at most 2147483647')
    expect(await put(1, 2 ** 60)).toBe(
      `body.total_frames: must be a whole number from -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
    )
    expect((await hub.call(ada, 'GET', `/v1/repos?limit=${2 ** 31}`)).json.detail).toBe(
      'query.limit: must be a whole number from -2147483648 to 2147483647',
    )
    const presign = await hub.call(ada, 'POST', `/v1/repos/${repo.full_name}/files/presign-upload`, { files: [] })
    expect(presign.json.detail).toBe('body.files: must have at least 1 item')
    const deleted = { paths: Array.from({ length: 101 }, (_, at) => `${at}`) }
    const answer = await hub.call(ada, 'POST', `/v1/repos/${repo.full_name}/files/delete`, deleted)
    expect(answer.json.detail).toBe('body.paths: must have at most 100 items')
  })

  it('names fifty of the same fault at most, whatever finds it', async () => {
    const repo = await hub.repo(ada)
    const upload = { path: 'a', upload_id: 'twice', parts: [{ part_number: 1, etag: 'x' }] }
    const uploads = Array.from({ length: 100 }, () => upload)
    const refused = await hub.call(ada, 'POST', `/v1/repos/${repo}/files/complete`, { uploads })
    expect([refused.status, refused.json.type, refused.json.errors.length]).toEqual([
      422,
      '/problems/validation.duplicate',
      50,
    ])
  })

  it('names all faults of the query', async () => {
    const path = `/v1/repos?kind=odd&q=${'x'.repeat(201)}&what=1`
    expect(await faultsOf('GET', path, undefined)).toEqual([422, ['query.kind', 'query.q', 'query.what']])
  })

  it('names faults of a report and of an import, free-form members included', async () => {
    const report = {
      metrics: [{ a: '\u0000' }, 7],
      scorecard_json: { b: '\ud800' },
      peak_vram_gb: -1,
      status: 'queued',
    }
    expect(await faultsOf('POST', '/v1/runs/run_0/report', report)).toEqual([
      422,
      ['body.metrics.0.a', 'body.metrics.1', 'body.peak_vram_gb', 'body.scorecard_json.b', 'body.status'],
    ])
    const artifacts = { config_yaml: '', metrics_summary: '', scorecard_json: [] }
    expect(await faultsOf('POST', '/v1/runs/import', { artifacts, owner: 'Not A Handle' })).toEqual([
      422,
      ['body.artifacts.scorecard_json', 'body.owner'],
    ])
  })

  it('reports rule violations at every depth, in both dialects', async () => {
    expect(await faultsOf('POST', '/v1/runs', { recipe: { template: '' }, owner: 'Not A Handle' })).toEqual([
      422,
      ['body.owner', 'body.recipe.template'],
    ])
    const text = 'mutation($input: CreateRunInput!) { createRun(input: $input) { __typename } }'
    const { errors } = await hub.graphql(ada, text, { input: { recipe: { template: '' }, owner: 'Not A Handle' } })
    const placed = errors[0].extensions.problem.errors.map((error: Json) => error.loc.join('.'))
    expect(placed.sort()).toEqual(['input.owner', 'input.recipe.template'])
  })

  it('of GraphQL accepts a valid enum value next to another fault', async () => {
    const text = 'mutation($input: ImportRunInput!) { importRun(input: $input) { run { id } } }'
    const artifacts = { configYaml: '', metricsSummary: '' }
    const input = { status: 'SUCCEEDED', artifacts, owner: 'Not A Handle', template: 7 }
    const all = JSON.stringify((await hub.graphql(ada, text, { input })).errors)
    expect([all.includes('"input","owner"'), all.includes('"input","status"')]).toEqual([true, false])
  })

  it('of GraphQL names both, too', async () => {
    const text = 'mutation($input: CreateRepoInput!) { createRepo(input: $input) { repo { id } } }'
    const input = { kind: 'BLIMP', slug: 'Not A Slug', visibility: 'SECRET', tags: ['Not'] }
    const { errors } = await hub.graphql(ada, text, { input })
    const all = JSON.stringify(errors)
    for (const word of ['BLIMP', 'SECRET', '"slug"', '"tags"']) expect(all).toContain(word)
  })
})

describe('the error sentences of /v1', () => {
  const text = async (path: string, body: unknown): Promise<[number, string, Json]> => {
    const answer = await hub.call(ada, 'POST', path, body)
    return [answer.status, answer.json.detail, answer.json.errors]
  }
  let run: string
  beforeAll(async () => {
    run = (await hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act' } })).json.id
    await hub.call(ada, 'POST', `/v1/runs/${run}/claim`, { worker: 'w' })
  })

  it.each([
    [{ log_chunk: 'x'.repeat(256 * 1024 + 1) }, 413, 'body.log_chunk: has 262145 bytes in UTF-8; 262144 is the limit'],
    [{ config_yaml: 'x'.repeat(1001) }, 413, 'body.config_yaml: has 1001 bytes in UTF-8; 1000 is the limit'],
    [
      { scorecard_json: { a: 'x'.repeat(1001) } },
      413,
      'body.scorecard_json: has 1009 bytes in UTF-8; 1000 is the limit',
    ],
    [{ scorecard_json: [] }, 422, 'body.scorecard_json: must be an object'],
    [{ metrics: [1] }, 422, 'body.metrics.0: must be an object'],
    [{ metrics: [{}, 1, []] }, 422, 'body.metrics.1: must be an object (and 1 more in errors)'],
    [{ metrics: Array.from({ length: 10_001 }, () => ({})) }, 413, 'body.metrics: has 10001 lines; 10000 is the limit'],
  ])('use its names: %#', async (body, status, detail) => {
    const [given, said, errors] = await text(`/v1/runs/${run}/report`, body)
    expect([given, said]).toEqual([status, detail])
    // The place is a separate member of an entry, not part of its sentence.
    for (const error of errors) expect(error.detail).not.toMatch(/^body|^input/)
  })

  it('use its names for an import and for gate results', async () => {
    const artifacts = { config_yaml: 'x'.repeat(1001), metrics_summary: 'x' }
    expect(await text('/v1/runs/import', { artifacts })).toMatchObject([
      413,
      'body.artifacts.config_yaml: has 1001 bytes in UTF-8; 1000 is the limit',
      [{ loc: ['body', 'artifacts', 'config_yaml'] }],
    ])
    const refused = await hub.call(ada, 'POST', `/v1/runs/${run}/gate-results`, {})
    expect([refused.status, types(refused).length > 0]).toEqual([422, true])
  })
})
