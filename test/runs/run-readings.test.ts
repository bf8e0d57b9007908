import { beforeAll, describe, expect, it } from 'vitest'
import { storedConfig } from '../../src/runs/config/stored-config.ts'
import { contractHub, type Json, newName, type Person, places, types } from '../support/hub.ts'
import { putRun } from '../support/runs.ts'

const hub = contractHub()
const database = {
  query: <T>({ text }: { text: string }, values?: readonly unknown[]) => hub.sql<T>(text, [...(values ?? [])]),
}
let ada: Person
let bob: Person

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
})

async function imported(who: Person, config: string, more: Json = {}): Promise<string> {
  const artifacts = { config_yaml: config, metrics_summary: 'loss,0.1' }
  const made = await hub.call(who, 'POST', '/v1/runs/import', { artifacts, ...more })
  expect([made.status, made.json.errors]).toEqual([201, undefined])
  return made.json.id
}
const config = (who: Person | string | null, run: string) => hub.call(who, 'GET', `/v1/runs/${run}/config`)
const checkpoints = (who: Person | string | null, run: string) => hub.call(who, 'GET', `/v1/runs/${run}/checkpoints`)
const metrics = (who: Person | string | null, run: string, query = '') =>
  hub.call(who, 'GET', `/v1/runs/${run}/metrics${query}`)

describe('the results of a run', () => {
  it('are for callers who can see the run: 401 for anonymous ones, 404 for others and for an unknown run', async () => {
    const run = await putRun(database, { ownerId: ada.id })
    const readOnly = await hub.key(ada, { scope: 'read' })
    for (const read of [config, checkpoints, metrics]) {
      expect((await read(null, run)).status).toBe(401)
      expect((await read(bob, run)).status).toBe(404)
      expect((await read(ada, 'run_0')).status).toBe(404)
      expect((await read(ada, run)).status).toBe(200)
      expect((await read(readOnly, run)).status).toBe(200)
    }
  })
})

describe('the config of a run', () => {
  it('is empty, with a reason, before there is one', async () => {
    const run = await putRun(database, { ownerId: ada.id, status: 'running' })
    expect((await config(ada, run)).json).toEqual({
      run_id: run,
      parent_run_id: null,
      keys: [],
      total: 0,
      diff: null,
      reason: 'The run has no resolved config yet.',
      shape: 'other',
      parent_shape: null,
      comparison: null,
      groups: [],
      pairs: [],
      declared: [],
    })
  })

  it('has only its leaves without a parent', async () => {
    const run = await imported(ada, `sim:\n  dt: 0.005\n  a.b: [1, two]\nlong: "${'x'.repeat(300)}"\n`)
    const { json } = await config(ada, run)
    expect(json.keys.slice(0, 3)).toEqual([
      { path: 'sim.dt', value: '0.005', group: 'sim' },
      { path: 'sim["a.b"][0]', value: '1', group: 'sim' },
      { path: 'sim["a.b"][1]', value: 'two', group: 'sim' },
    ])
    expect(json.keys[3].value).toHaveLength(200)
    expect([json.total, json.diff, json.reason]).toEqual([4, null, 'The run has no parent to compare with.'])
  })

  it('is compared with that of its parent', async () => {
    const parent = await imported(ada, 'agent: {lr: 0.001, gamma: 0.99, gone: 1}\nrun_name: a\n')
    const run = await imported(ada, 'agent: {lr: 0.002, gamma: 0.99, come: 1}\nrun_name: b\n', {
      parent_run_id: parent,
      hyperparams: { lr: 0.002 },
    })
    const { json } = await config(ada, run)
    expect(json.diff).toEqual({
      entries: [
        {
          path: 'agent.lr',
          kind: 'changed',
          from: '0.001',
          to: '0.002',
          in_declared_change: true,
          group: 'algorithm',
          parent_path: 'agent.lr',
        },
      ],
      changed_keys: 1,
      unchanged_keys: 1,
      truncated: 0,
      comparison: null,
      parent_has_no_record: 1,
      child_has_no_record: 1,
    })
    expect([json.parent_run_id, json.reason, json.parent_shape]).toEqual([parent, null, 'other'])
    expect(json.declared).toEqual([{ key: 'lr', status: 'moved', group: 'algorithm', summary: '0.001 → 0.002' }])
    expect(json.groups.map(({ id, counted, changed }: Json) => [id, counted, changed])).toEqual([
      ['algorithm', true, 1],
      ['bookkeeping', false, 1],
    ])
  })

  it('of a parent that is not visible to the caller is neither compared nor shown', async () => {
    const secret = await imported(bob, 'agent: {lr: 1}\n')
    const run = await imported(ada, 'agent: {lr: 2}\n')
    await hub.sql('update runs set parent_run_id = $2 where id = $1', [run, secret])
    const { json } = await config(ada, run)
    expect([json.total, json.diff, json.reason]).toEqual([1, null, 'The parent run is not visible to you.'])
  })

  it('that cannot be parsed is empty, with the place of the error', async () => {
    const broken = await imported(ada, 'a: [1\n')
    const run = await imported(ada, 'a: 1\n', { parent_run_id: broken })
    const own = (await config(ada, broken)).json
    expect([own.keys, own.diff]).toEqual([[], null])
    expect(own.reason).toMatch(/^The config is not valid YAML: .* \(line \d+, column \d+\)\.$/)
    expect((await config(ada, run)).json.reason).toMatch(
      /^Cannot compare with the parent run: The config is not valid YAML/,
    )
  })

  it('that was replaced during the request returns an error with this reason', async () => {
    const run = await imported(ada, 'a: 1\n')
    // The key that a request read before another report came.
    const stored = await storedConfig(hub.running.deps, run, `runs/${run}/config-before.yaml`)
    expect(stored).toEqual({ fault: 'The config has just been replaced; try again.' })
  })

  it('of more than a mebibyte is stored and not compared', async () => {
    const run = await imported(ada, `a: "${'x'.repeat(1_048_576)}"\n`)
    expect((await config(ada, run)).json).toMatchObject({
      keys: [],
      reason: expect.stringMatching(/^The config has more than 1048576/),
    })
  })

  it('of a few hundred keys on both sides lists 120 changes, and counts each key once', async () => {
    const yaml = (value: number, shift: number) =>
      Array.from({ length: 400 }, (_, at) => `key${at + shift}: ${at % 2 ? value : 'same'}`).join('\n')
    const parent = await imported(ada, yaml(1, 0))
    const run = await imported(ada, yaml(2, 10), { parent_run_id: parent })
    const { diff, total } = (await config(ada, run)).json
    expect([total, diff.entries.length, diff.changed_keys, diff.unchanged_keys, diff.truncated]).toEqual([
      400, 120, 195, 195, 75,
    ])
    expect([diff.parent_has_no_record, diff.child_has_no_record]).toEqual([10, 10])
  })

  it('is the same in the graph', async () => {
    const run = await imported(ada, 'agent: {lr: 2}\n', { hyperparams: { declared_change: ['lr'] } })
    const { data } = await hub.graphql(
      ada,
      `{ run(id: "${run}") { config { total shape keys { path } declared { status } } } }`,
    )
    expect(data.run.config).toEqual({
      total: 1,
      shape: 'other',
      keys: [{ path: 'agent.lr' }],
      declared: [{ status: 'CANNOT_COMPARE' }],
    })
  })
})

describe('the checkpoints of a run', () => {
  it('are empty before it has an output repo', async () => {
    const run = await putRun(database, { ownerId: ada.id })
    expect((await checkpoints(ada, run)).json).toEqual({
      items: [],
      repo: null,
      not_fine_tunable: 'The run has no output repo yet.',
    })
  })

  it('are the directories of its output repo', async () => {
    const name = await hub.repo(ada, { kind: 'model', slug: newName('model') })
    await hub.upload(ada, name, {
      'checkpoints/step_100/policy/a.bin': 'abc',
      'checkpoints/step_20/policy/a.bin': 'ab',
    })
    const [repo] = await hub.sql<{ id: string }>('select id from repos order by id desc limit 1')
    const run = await putRun(database, { ownerId: ada.id, set: { output_repo_id: repo?.id, output_repo_name: name } })
    const { json } = await checkpoints(ada, run)
    expect(json).toMatchObject({ repo: { id: repo?.id, full_name: name }, not_fine_tunable: null })
    expect(json.items.map(({ step, path, bytes }: Json) => [step, path, bytes])).toEqual([
      [20, 'checkpoints/step_20', 2],
      [100, 'checkpoints/step_100', 3],
    ])
    expect(Object.keys(json.items[0].files[0])).toEqual(['path', 'size', 'etag', 'sha256', 'mime', 'updated_at'])
    expect(json.items[0].published_at).toBe(json.items[0].files[0].updated_at)
  })
})

describe('too many files of checkpoints', () => {
  it('are 413, and name the repo whose tree has them', async () => {
    const name = await hub.repo(ada, { kind: 'model', slug: newName('model') })
    await hub.upload(ada, name, { 'checkpoints/step_1/a': 'a' })
    const [file] = await hub.sql<{ repo: string; id: string }>(
      'select repo_id as repo, id from files order by id desc limit 1',
    )
    await hub.sql(
      `insert into files (repo_id, path, blob_id, mime, updated_at, from_seq)
        select repo_id, path || at, blob_id, mime, updated_at, from_seq from files, generate_series(1, 20000) at where id = $1`,
      [file?.id],
    )
    const run = await putRun(database, { ownerId: ada.id, set: { output_repo_id: file?.repo, output_repo_name: name } })
    const answer = await checkpoints(ada, run)
    expect([answer.status, types(answer)]).toEqual([413, ['too_large']])
    expect(answer.json.detail).toContain(name)
  })
})

describe('the metrics of a run', () => {
  async function measured(): Promise<string> {
    const run = await putRun(database, { ownerId: ada.id, set: { metrics_seq: 1000 } })
    await hub.sql(
      `insert into run_metrics (run_id, seq, attempt, step, line)
        select $1, at, 1, at * 10, json_build_object('loss', at % 7, 'lr', 0.1) from generate_series(1, 1000) at`,
      [run],
    )
    return run
  }

  it('are typed lists in the graph, beside the pairs', async () => {
    const { data } = await hub.graphql(
      ada,
      `{ run(id: "${await measured()}") { metrics(maxPoints: 20) { series { key points steps values } } } }`,
    )
    const [first] = data.run.metrics.series
    expect(first.steps.length).toBeGreaterThan(2)
    expect(first.steps.map((step: number, at: number) => [step, first.values[at]])).toEqual(first.points)
  })

  it('are series by key', async () => {
    const { json } = await metrics(ada, await measured(), '?max_points=20')
    expect(json.keys).toEqual(['loss', 'lr'])
    expect(json.series[0]).toMatchObject({ key: 'loss', count: 1000 })
    expect(json.series[0].points.length).toBeGreaterThan(9)
    expect(json.series[0].points.length).toBeLessThan(21)
  })

  it.each(['?keys=lr,none', '?keys=lr&keys=none'])('are the requested ones: %s', async (query) => {
    const { json } = await metrics(ada, await measured(), query)
    expect(json.keys).toEqual(['lr', 'none'])
    expect(json.series.map(({ points }: Json) => points.length)).toEqual([500, 0])
  })

  it('are all with an empty list of keys', async () => {
    expect((await metrics(ada, await measured(), '?keys=')).json.keys).toEqual(['loss', 'lr'])
  })

  it.each([
    ['?max_points=1', ['query', 'max_points']],
    ['?max_points=5001', ['query', 'max_points']],
    ['?max_points=many', ['query', 'max_points']],
    [`?keys=${'k,'.repeat(101)}`, ['query', 'keys']],
  ])('are 422 for %s', async (query, place) => {
    const answer = await metrics(ada, await putRun(database, { ownerId: ada.id }), query)
    expect([answer.status, places(answer)]).toEqual([422, [place]])
    expect(types(answer)[0]).toMatch(/^validation\./)
  })
})
