/** Which run made a version of a model: written with the version, and named to those who see the run. */
import { beforeAll, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, type Who } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let mallory: Person

beforeAll(async () => {
  ada = await hub.person()
  mallory = await hub.person()
})

const file = (path: string, text: string) => ({ path, content: Buffer.from(text).toString('base64') })
const commit = (who: Who, name: string, body: Json) => hub.call(who, 'POST', `/v1/repos/${name}/commits`, body)
const newRun = async (who: Person = ada): Promise<string> =>
  (await hub.call(who, 'POST', '/v1/runs/start', { recipe: { template: 'act' }, worker: 'box' })).json.id
const versions = async (name: string, who: Who = ada, query = ''): Promise<Json[]> =>
  (await hub.call(who, 'GET', `/v1/repos/${name}/commits${query}`)).json.items
const runsOf = async (name: string, who: Who = ada, query = ''): Promise<(string | null)[]> =>
  (await versions(name, who, query)).map(({ run }) => run?.id ?? null)

/** A run that has published one checkpoint of these weights. */
async function trained(weights: string): Promise<string> {
  const output = await hub.repo(ada, { kind: 'model' })
  await hub.upload(ada, output, { 'checkpoints/step_40/policy.onnx': weights })
  const run = await newRun()
  await hub.call(ada, 'POST', `/v1/runs/${run}/report`, { output_model_repo: output })
  return run
}

it('each version that a checkpoint was promoted to names its own run, and those of people none', async () => {
  const name = await hub.repo(ada, { kind: 'model', visibility: 'public' })
  await hub.upload(ada, name, { 'policy.onnx': 'by hand' })
  const [first, second] = [await trained('first'), await trained('second')]
  for (const run of [first, second])
    expect((await hub.call(ada, 'POST', `/v1/runs/${run}/promote`, { step: 40, repo: name })).status).toBe(200)
  await hub.upload(ada, name, { 'README.md': '# By hand' })
  expect(await runsOf(name)).toEqual([null, second, first, null, null])
  const { items } = (await hub.call(ada, 'GET', `/v1/repos/${name}/history`)).json
  expect(items.map(({ run }: Json) => run?.id ?? null)).toEqual([null, second, first, null])
  await hub.call(ada, 'POST', `/v1/repos/${name}/snapshots`, { name: 'v1', at: '2' })
  const snapshot = async (who: Who) => (await hub.call(who, 'GET', `/v1/repos/${name}/snapshots/v1`)).json.run
  expect([await snapshot(ada), await snapshot(mallory)]).toEqual([{ id: first }, null])
  const asked = `{ repo(owner: "${ada.handle}", slug: "${name.split('/')[1]}") {
    at(state: "v1") { run { id } } commits(byRun: true, first: 1) { nodes { seq run { id } } pageInfo { hasNextPage } } } }`
  expect((await hub.graphql(ada, asked)).data.repo).toEqual({
    at: { run: { id: first } },
    commits: { nodes: [{ seq: 3, run: { id: second } }], pageInfo: { hasNextPage: true } },
  })
  expect((await hub.graphql(mallory, asked)).data.repo.at).toEqual({ run: null })
  expect(await runsOf(name, mallory)).toEqual([null, null])
})

it("what a run's key pushes names that run, in every operation", async () => {
  const run = await newRun()
  const asked = 'mutation ($input: MakeRunKeyInput!) { makeRunKey(input: $input) { token } }'
  const key: string = (await hub.graphql(ada, asked, { input: { runId: run } })).data.makeRunKey.token
  const slug = newName()
  const name: string = (await hub.call(key, 'POST', '/v1/repos', { kind: 'model', slug, visibility: 'private' })).json
    .full_name
  const { upload_id, parts } = await hub.sendFile(key, name, 'policy.onnx', 'weights')
  const uploads = [{ path: 'policy.onnx', upload_id, parts }]
  expect((await hub.call(key, 'POST', `/v1/repos/${name}/files/complete`, { uploads })).status).toBe(200)
  expect((await commit(key, name, { add: [file('contract.json', '{}')] })).status).toBe(200)
  expect(await runsOf(name)).toEqual([run, run, null])
  expect((await commit(key, name, { add: [file('a', 'a')], run_id: await newRun() })).status).toBe(422)
})

it('a commit names a run that the caller sees, of a model alone', async () => {
  const name = await hub.repo(ada, { kind: 'model' })
  const dataset = await hub.repo(ada)
  const run = await newRun()
  expect((await commit(ada, name, { add: [file('a', 'a')], run_id: run })).status).toBe(200)
  const refusal = async (to: string, run_id: string) => {
    const { status, json } = await commit(ada, to, { add: [file('a', 'b')], run_id })
    return [status, json.errors[0].loc, json.errors[0].detail]
  }
  expect(await refusal(name, await newRun(mallory))).toMatchObject([
    422,
    ['body', 'run_id'],
    expect.stringMatching(/that you see/),
  ])
  expect(await refusal(name, 'nonsense')).toMatchObject([
    422,
    ['body', 'run_id'],
    expect.stringMatching(/that you see/),
  ])
  expect(await refusal(dataset, run)).toMatchObject([
    422,
    ['body', 'run_id'],
    expect.stringMatching(/is a dataset repo/),
  ])
  const mutation = 'mutation ($input: CommitFilesInput!) { commitFiles(input: $input) { seq } }'
  const [owner, repo] = name.split('/')
  const input = { owner, repo, add: [file('a', 'c')], runId: run }
  expect((await hub.graphql(ada, mutation, { input })).data.commitFiles).toEqual({ seq: 2 })
  expect(await runsOf(name)).toEqual([run, run, null])
  expect(await runsOf(name, ada, '?by_run=true')).toEqual([run])
})

it('pages of the last versions of runs have each run once, in any number of changes', async () => {
  const name = await hub.repo(ada, { kind: 'model' })
  const runs = [await newRun(), await newRun(), await newRun()]
  const [one, two, three] = runs
  for (const [index, run_id] of [one, two, one, undefined, three, three].entries())
    expect((await commit(ada, name, { add: [file('a', `${index}`)], run_id })).status).toBe(200)
  const found: [number, string][] = []
  let cursor = ''
  do {
    const page = (await hub.call(ada, 'GET', `/v1/repos/${name}/commits?by_run=true&limit=1${cursor}`)).json
    found.push(...page.items.map(({ seq, run }: Json) => [seq, run.id]))
    cursor = page.next_cursor && `&cursor=${page.next_cursor}`
  } while (cursor)
  expect(found).toEqual([
    [6, three],
    [3, one],
    [2, two],
  ])
})

it('readers are listed the last named version of the runs that they see, and of hidden ones none', async () => {
  const name = await hub.repo(ada, { kind: 'model', visibility: 'public' })
  const runs = [await newRun(), await newRun()]
  for (const [index, run_id] of [...runs, ...runs].entries()) {
    expect((await commit(ada, name, { add: [file('a', `${index}`)], run_id })).status).toBe(200)
    if (index < 2) await hub.call(ada, 'POST', `/v1/repos/${name}/snapshots`, { name: `v${index}`, at: `${index + 1}` })
  }
  await hub.upload(ada, name, { 'README.md': '# By hand' })
  expect((await versions(name, ada, '?by_run=true')).map(({ seq }) => seq)).toEqual([4, 3])
  expect((await versions(name, mallory)).map(({ seq }) => seq)).toEqual([5, 2, 1])
  expect(await versions(name, mallory, '?by_run=true')).toEqual([])
  // A key that may read sees the runs of its account, and is listed what other readers are.
  const reader = await hub.key(ada, { scope: 'read' })
  expect((await versions(name, reader, '?by_run=true')).map(({ seq }) => seq)).toEqual([2, 1])
  expect(await runsOf(name, reader, '?by_run=true')).toEqual([runs[1], runs[0]])
})

it('a version that is restored as a whole names the run of the first one, and a mixed one names none', async () => {
  const name = await hub.repo(ada, { kind: 'model' })
  const run = await newRun()
  await commit(ada, name, { add: [file('a', 'a'), file('b', 'b')], run_id: run })
  await commit(ada, name, { add: [file('a', 'other'), file('b', 'other')] })
  const restore = async (body: Json) =>
    expect((await hub.call(ada, 'POST', `/v1/repos/${name}/restore`, { at: '1', ...body })).status).toBe(200)
  await restore({ paths: ['a'] })
  await restore({})
  expect(await runsOf(name)).toEqual([run, null, null, run, null])
})

it('a deleted run is no longer named, and the retry of a commit that names it gets its answer', async () => {
  const name = await hub.repo(ada, { kind: 'model' })
  const run = await newRun()
  const send = (key: string) =>
    hub.call(
      ada,
      'POST',
      `/v1/repos/${name}/commits`,
      { add: [file('a', 'a')], run_id: run },
      { 'idempotency-key': key },
    )
  const made = await send('before')
  expect(made.status).toBe(200)
  await hub.call(ada, 'POST', `/v1/runs/${run}/report`, { status: 'failed' })
  expect((await hub.call(ada, 'DELETE', `/v1/runs/${run}`)).status).toBeLessThan(300)
  expect(await runsOf(name)).toEqual([null, null])
  expect(await versions(name, ada, '?by_run=true')).toEqual([])
  const { status, json } = await send('before')
  expect([status, json]).toEqual([200, made.json])
  expect((await send('after')).status).toBe(422)
})
