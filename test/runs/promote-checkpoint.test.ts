/** promoteCheckpoint (contract, "Promoting a checkpoint"): one change that makes a model repo of a checkpoint. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, types, type Who } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let mallory: Person
let robot: string
let run: string

beforeAll(async () => {
  ada = await hub.person()
  mallory = await hub.person()
  robot = await hub.repo(ada, { kind: 'robot' })
  run = await trained(ada)
})

/** A run that has published two checkpoints into a model repo of its own. */
async function trained(who: Person): Promise<string> {
  const output = await hub.repo(who, { kind: 'model' })
  await hub.upload(who, output, {
    'checkpoints/step_40/policy.onnx': 'weights',
    'checkpoints/step_40/README.md': '---\nlicense: mit\n---\n# A walker\n',
    'checkpoints/step_60/policy.onnx': 'other weights',
    'notes.txt': 'of no checkpoint',
  })
  const { json } = await hub.call(who, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [], robot } })
  const runner = await hub.key(who, { scope: 'train' })
  await hub.call(runner, 'POST', `/v1/runs/${json.id}/claim`, { worker: 'w' })
  await hub.call(runner, 'POST', `/v1/runs/${json.id}/report`, { output_model_repo: output })
  return json.id
}

const promote = (who: Who, body: Json, of = run, headers: Record<string, string> = {}) =>
  hub.call(who, 'POST', `/v1/runs/${of}/promote`, body, headers)
const fresh = () => `${ada.handle}/${newName()}`
const repoOf = (name: string, who: Who = ada) => hub.call(who, 'GET', `/v1/repos/${name}`)
const pathsOf = async (name: string) =>
  (await hub.call(ada, 'GET', `/v1/repos/${name}/tree`)).json.items.map(({ path }: Json) => path)

describe('a checkpoint that is promoted', () => {
  it('is a private model repo with its files, the facts of the run and one change', async () => {
    const name = fresh()
    const made = await promote(ada, { step: 40, repo: name })
    expect(made.status).toBe(200)
    expect(made.json).toMatchObject({
      repo: { full_name: name, visibility: 'private' },
      commit: { seq: 1, added: 2, changed: 0, removed: 0 },
    })
    expect((await repoOf(name)).json).toMatchObject({
      kind: 'model',
      license: 'mit',
      model_meta: { policy_type: 'act', source_run_id: run, control_class: 'skill', robot },
    })
    expect(await pathsOf(name)).toEqual(['README.md', 'policy.onnx'])
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${name}/commits`)
    expect(json.items[0]).toMatchObject({
      commit_id: made.json.commit.commit_id,
      message: expect.stringMatching(/^Step 40 of /),
    })
  })

  it('is public where that is asked for, and changes nothing when it is asked for again', async () => {
    const name = fresh()
    const body = { step: 60, repo: name, visibility: 'public', message: 'the good one' }
    const first = await promote(ada, body)
    expect(first.json.repo.visibility).toBe('public')
    const again = await promote(ada, { ...body, visibility: 'private' })
    expect(again.json).toMatchObject({
      repo: { id: first.json.repo.id, visibility: 'public' },
      commit: { seq: 1, added: 0, changed: 0, commit_id: first.json.commit.commit_id },
    })
  })

  it('gives a repo that is there a new version, and leaves its other files and its base model', async () => {
    const name = await hub.repo(ada, { kind: 'model' })
    await hub.upload(ada, name, { 'policy.onnx': 'old', 'eval.json': '{}' })
    await hub.call(ada, 'PUT', `/v1/models/${name}/meta`, { policy_type: 'x', base_model: 'lab/base' })
    const made = await promote(ada, { step: 60, repo: name })
    expect(made.json.commit).toMatchObject({ added: 0, changed: 1 })
    expect((await repoOf(name)).json.model_meta).toMatchObject({
      policy_type: 'act',
      base_model: 'lab/base',
      source_run_id: run,
    })
    expect(await pathsOf(name)).toEqual(['eval.json', 'policy.onnx'])
  })

  it('makes one repo for many who ask at once', async () => {
    const name = fresh()
    const made = await Promise.all(Array.from({ length: 6 }, () => promote(ada, { step: 40, repo: name })))
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 200))
    expect(new Set(made.map(({ json }) => json.repo.id)).size).toBe(1)
    expect(made.reduce((sum, { json }) => sum + json.commit.added, 0)).toBe(2)
  })

  it('leaves nothing behind where a part of it is refused', async () => {
    const name = fresh()
    const quota = 'update accounts set storage_bytes = storage_bytes + $1 where handle = $2'
    const full = 2 ** 50
    await hub.sql(quota, [full, ada.handle])
    const refused = await promote(ada, { step: 40, repo: name })
    await hub.sql(quota, [-full, ada.handle])
    expect([refused.status, types(refused)[0] ?? refused.json.type]).toEqual([413, expect.stringContaining('quota')])
    expect((await repoOf(name)).status).toBe(404)

    const clashing = await hub.repo(ada, { kind: 'model' })
    await hub.upload(ada, clashing, { 'policy.onnx/a.txt': 'a' })
    const clash = await promote(ada, { step: 60, repo: clashing })
    expect([clash.status, types(clash)]).toEqual([409, ['conflict.path']])
    const there = (await repoOf(clashing)).json
    expect([there.file_summary.count, there.model_meta]).toEqual([1, undefined])
  })
})

describe('what is refused', () => {
  it.each([
    ['a step without a checkpoint', { step: 41 }, 404, 'Its last ones are 40, 60.'],
    ['a name that is not a repo', { step: 40, repo: 'walker' }, 422, 'must be owner/slug'],
    ['a negative step', { step: -1 }, 422, ''],
  ])('%s', async (_, body, status, detail) => {
    const refused = await promote(ada, { repo: fresh(), ...body })
    expect([refused.status, refused.json.detail]).toEqual([status, expect.stringContaining(detail)])
  })

  it('is a repo of another kind', async () => {
    const refused = await promote(ada, { step: 40, repo: robot })
    expect([refused.status, types(refused), refused.json.detail]).toEqual([
      409,
      ['conflict.wrong_kind'],
      expect.stringContaining('is a robot repo'),
    ])
  })

  it('is another person, whose run and whose name it is not', async () => {
    expect((await promote(mallory, { step: 40, repo: `${mallory.handle}/theirs` })).status).toBe(404)
    const own = await trained(mallory)
    expect((await promote(mallory, { step: 40, repo: fresh() }, own)).status).toBe(403)
    const hidden = await hub.repo(ada, { kind: 'model' })
    expect((await promote(mallory, { step: 40, repo: hidden }, own)).status).toBe(403)
    expect((await promote(null, { step: 40, repo: fresh() })).status).toBe(401)
  })

  it('is a name that is taken, where a key of a hosted job does not see by which repo', async () => {
    const taken = await hub.repo(ada, { kind: 'model' })
    const job = await hub.key(ada, { scope: 'train' })
    await hub.sql(
      `update api_keys set job_id = $1, limited = true, repo_ids = (select array_agg(output_repo_id) from runs where id = $1)
        where token_sha256 = sha256($2::bytea)`,
      [run, job],
    )
    const own = fresh()
    expect((await promote(job, { step: 40, repo: own })).status).toBe(200)
    expect((await promote(job, { step: 60, repo: own })).json).toMatchObject({ commit: { seq: 2 } })
    const refused = await promote(job, { step: 40, repo: taken })
    expect([refused.status, types(refused)]).toEqual([409, ['conflict.taken']])
  })

  it('is a run without an output', async () => {
    const { json } = await hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })
    const refused = await promote(ada, { step: 40, repo: fresh() }, json.id)
    expect([refused.status, refused.json.detail]).toEqual([404, expect.stringContaining('no output repo yet')])
  })

  it('is a file that the hub has not verified', async () => {
    const own = await trained(ada)
    const hide = `update blobs set sha256 = null where id in (select f.blob_id from files f join runs u on u.output_repo_id = f.repo_id
      where u.id = $1 and f.path like '%README.md')`
    await hub.sql(hide, [own])
    const refused = await promote(ada, { step: 40, repo: fresh() }, own)
    expect([refused.status, types(refused)[0] ?? refused.json.type]).toEqual([
      409,
      expect.stringContaining('conflict.in_progress'),
    ])
  })
})
