/** Objects that rows name and the store has lost: each read of one is a Problem that says so, in both dialects, and nothing of the store is told. */
import { beforeAll, describe, expect, it } from 'vitest'
import { goodCard } from '../../packages/robot-card/test/support/card.ts'
import { publishing } from '../checks/support/publishing.ts'
import { checksOf } from '../support/checks.ts'
import { readEvents } from '../support/event-stream.ts'
import { type Answer, contractHub, type Json, type Person } from '../support/hub.ts'
import { endpointsOf, manifest } from '../support/hub-endpoints.ts'

const hub = contractHub({}, { alone: true })
const { model, create, estimate } = endpointsOf(hub)
const { robotCheck, modelCheck, publish, treeOf } = publishing(hub)
const { claimed, report, send } = checksOf(hub)

let ada: Person
let key: string
beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
})

const keysOfFile = (repo: string, path: string) =>
  hub.sql<{ key: string }>(
    `select b.storage_key as key from files f join blobs b on b.id = f.blob_id join repos r on r.id = f.repo_id
      join accounts o on o.id = r.owner_id where o.handle || '/' || r.slug = $1 and f.path = $2`,
    [repo, path],
  )

/** Deletes the objects as a broken disk would: no row changes. Restores nothing. */
async function lose(rows: Promise<readonly { readonly key: string | null }[]>): Promise<void> {
  const keys = (await rows).flatMap(({ key }) => key ?? [])
  expect(keys).not.toEqual([])
  await hub.running.deps.objects?.delete(keys)
}

/** The answer is a Problem of lost data that names what it is, and has no key of the store. */
function expectLost({ status, json }: Pick<Answer, 'status' | 'json'>, what: string): void {
  expect([status, json.type]).toEqual([502, '/problems/store.lost'])
  expect(json.detail).toContain(what)
  expectNoKey(json)
}

function expectNoKey(told: Json): void {
  expect(JSON.stringify(told)).not.toMatch(/blobs\/|runs\/run_|robot-checks\/|[0-9a-f]{38}|\/tmp|\/dev\/shm/)
}

/** The same of an operation of the graph. */
async function expectLostInGraph(operation: string, what: string): Promise<void> {
  const { errors } = await hub.graphql(ada, operation)
  expect(errors.map(({ extensions }: Json) => [extensions.code, extensions.status])).toEqual([['STORE_LOST', 502]])
  expectLost({ status: 502, json: errors[0].extensions.problem }, what)
}

describe('a file of a repo', () => {
  it('of a policy: creating an endpoint and estimating it', async () => {
    const name = await model(
      ada,
      { 'manifest.json': manifest(), 'policy/model.safetensors': 'not read here' },
      { meta: null },
    )
    await lose(keysOfFile(name, 'manifest.json'))
    expectLost(await create(key, name), 'The file "manifest.json"')
    expectLost(await estimate(key, name), 'The file "manifest.json"')
    for (const operation of ['createEndpoint', 'estimateEndpoint'])
      await expectLostInGraph(
        `mutation { ${operation}(input: { modelRepo: "${name}" }) { __typename } }`,
        'manifest.json',
      )
    const endpoints = await hub.sql('select id from endpoints where model_repo_name = $1', [name])
    expect(endpoints).toEqual([])
  })

  it('of a robot: putting a card and validating one', async () => {
    const repo = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, repo, { 'arm.xml': '<mujoco><include file="part.xml"/></mujoco>', 'part.xml': '<mujoco/>' })
    await lose(keysOfFile(repo, 'part.xml'))
    const card = goodCard({ mjcf_path: 'arm.xml' })
    expectLost(await hub.call(ada, 'PUT', `/v1/robots/${repo}/card`, card), 'The file "part.xml"')
    expectLost(await hub.call(ada, 'POST', `/v1/robots/${repo}/validate`, { card }), 'The file "part.xml"')
    const [owner, slug] = repo.split('/')
    const input = `{ owner: "${owner}", repo: "${slug}", card: { dof: 1, mjcfPath: "arm.xml" } }`
    await expectLostInGraph(`mutation { putRobotCard(input: ${input}) { card { dof } } }`, 'part.xml')
    await expectLostInGraph(`mutation { validateRobotCard(input: ${input}) { ok } }`, 'part.xml')
  })

  it('of a past state of a dataset: restoring it', async () => {
    const repo = await hub.repo(ada)
    const info = (frames: number) =>
      JSON.stringify({ codebase_version: 'v2.1', total_episodes: 1, total_frames: frames, fps: 30 })
    await hub.upload(ada, repo, { 'meta/info.json': info(1) })
    await lose(keysOfFile(repo, 'meta/info.json'))
    await hub.upload(ada, repo, { 'meta/info.json': info(2) })
    expectLost(await hub.call(ada, 'POST', `/v1/repos/${repo}/restore`, { at: '1' }), 'The file "meta/info.json"')
    const [owner, slug] = repo.split('/')
    await expectLostInGraph(
      `mutation { restoreState(input: { owner: "${owner}", repo: "${slug}", at: "1" }) { __typename } }`,
      'meta/info.json',
    )
  })

  it('that is downloaded: the store itself answers to the signed URL', async () => {
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, { 'a.txt': 'a' })
    await lose(keysOfFile(repo, 'a.txt'))
    const resolved = await hub.call(ada, 'GET', `/v1/repos/${repo}/resolve/a.txt`)
    expect(resolved.status).toBe(302)
    const signed = await hub.call(ada, 'POST', `/v1/repos/${repo}/files/presign-download`, { paths: ['a.txt'] })
    for (const url of [resolved.headers.get('location') ?? '', signed.json.files[0].url]) {
      const answer = await fetch(url)
      expect([answer.status, ((await answer.json()) as Json).type]).toEqual([404, '/problems/not_found'])
    }
  })

  it('that is linked by its digest: it is not found, so that its bytes are sent', async () => {
    const [from, to] = [await hub.repo(ada), await hub.repo(ada)]
    const bytes = 'known bytes'
    await hub.upload(ada, from, { 'a.txt': bytes })
    const tree = await treeOf(ada, from)
    await lose(keysOfFile(from, 'a.txt'))
    const files = [{ path: 'b.txt', size: bytes.length, sha256: tree['a.txt'] }]
    const linked = await hub.call(ada, 'POST', `/v1/repos/${to}/files/link`, { files })
    expect([linked.status, linked.json.files]).toEqual([200, []])
  })

  it('that was deleted meanwhile is not a loss', async () => {
    const repo = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, repo, { 'arm.xml': '<mujoco/>' })
    await lose(keysOfFile(repo, 'arm.xml'))
    await hub.sql(
      `update blobs set state = 'doomed', doomed_at = now() where id = any(select f.blob_id from files f join repos r on r.id = f.repo_id
        join accounts o on o.id = r.owner_id where o.handle || '/' || r.slug = $1)`,
      [repo],
    )
    const refused = await hub.call(ada, 'PUT', `/v1/robots/${repo}/card`, goodCard({ mjcf_path: 'arm.xml' }))
    expect([refused.status, refused.json.type]).toEqual([409, '/problems/conflict.in_progress'])
  })
})

describe('an object of a run', () => {
  async function reported(body: Json): Promise<string> {
    const { id } = (await hub.call(key, 'POST', '/v1/runs', { recipe: { template: 'act' } })).json
    await hub.call(key, 'POST', `/v1/runs/${id}/claim`, { worker: 'w' })
    expect((await hub.call(key, 'POST', `/v1/runs/${id}/report`, body)).status).toBe(200)
    return id
  }

  it('of its log: download, stream and page', async () => {
    const run = await reported({ log_chunk: 'one\0\n' })
    await lose(hub.sql('select storage_key as key from run_log_chunks where run_id = $1', [run]))
    const what = `Part 1 of the log of ${run}`
    expectLost(await hub.call(ada, 'GET', `/v1/runs/${run}/logs/download`), what)
    await expectLostInGraph(`{ run(id: "${run}") { id } runLog(runId: "${run}") { nodes { line } } }`, what)
    const stream = await readEvents(`${hub.running.url}/v1/runs/${run}/logs`, ada.token)
    await stream.ended
    const problem = JSON.parse(/^event: error\ndata: (.*)$/m.exec(stream.others.join('\n\n'))?.[1] ?? 'null')
    expectLost({ status: problem.status, json: problem }, what)
  })

  it('its config, and as a parent it is only not compared with', async () => {
    const run = await reported({ config_yaml: 'a: 1' })
    await lose(hub.sql('select config_key as key from runs where id = $1', [run]))
    const what = `The config of ${run}`
    expectLost(await hub.call(ada, 'GET', `/v1/runs/${run}/config`), what)
    await expectLostInGraph(`{ run(id: "${run}") { config { reason } } }`, what)
    const child = (await hub.call(key, 'POST', '/v1/runs', { recipe: { template: 'act' }, parent_run_id: run })).json.id
    await hub.call(key, 'POST', `/v1/runs/${child}/claim`, { worker: 'w' })
    await hub.call(key, 'POST', `/v1/runs/${child}/report`, { config_yaml: 'a: 2' })
    const config = await hub.call(ada, 'GET', `/v1/runs/${child}/config`)
    expect([config.status, config.json.diff, config.json.reason]).toEqual([
      200,
      null,
      'Cannot compare with the parent run: The object store has lost its config.',
    ])
  })

  it('its scorecard and metrics are rows as well, and are read on', async () => {
    const run = await reported({ metrics: [{ step: 1, loss: 2 }], scorecard_json: { cells: [{ status: 'PASS' }] } })
    await lose(hub.sql('select scorecard_key as key from runs where id = $1', [run]))
    const read = await hub.call(ada, 'GET', `/v1/runs/${run}`)
    expect([read.status, read.json.gate.passed]).toEqual([200, 1])
    expect((await hub.call(ada, 'GET', `/v1/runs/${run}/metrics`)).status).toBe(200)
  })
})

describe('an object of a check', () => {
  const artifact = (check: string, name: string) =>
    hub.sql<{ key: string }>('select storage_key as key from robot_check_artifacts where check_id = $1 and name = $2', [
      check,
      name,
    ])

  it('of its log: download', async () => {
    const repo = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, repo, { 'arm.xml': '<mujoco/>' })
    const check = await claimed(key, repo)
    await report(key, check, { log_chunk: 'one\0\n' })
    await lose(hub.sql('select storage_key as key from robot_check_log_chunks where check_id = $1', [check]))
    const what = `Part 1 of the log of ${check}`
    expectLost(await hub.call(ada, 'GET', `/v1/robot-checks/${check}/logs/download`), what)
    await expectLostInGraph(`{ robotCheckLog(checkId: "${check}") { nodes { line } } }`, what)
  })

  it('an artifact that a report names again', async () => {
    const repo = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, repo, { 'arm.xml': '<mujoco/>' })
    const check = await claimed(key, repo)
    await send(key, check, 'thumbnail.png', 'still')
    const artifacts = [{ path: 'thumbnail.png' }]
    await report(key, check, { artifacts })
    await lose(artifact(check, 'thumbnail.png'))
    const refused = await hub.call(key, 'POST', `/v1/robot-checks/${check}/report`, { artifacts })
    expectLost(refused, 'The artifact "thumbnail.png"')
  })

  it('a file of the robot that its card is judged by, when it is published', async () => {
    const made = await robotCheck()
    await lose(keysOfFile(made.repo, 'arm.xml'))
    expectLost(await publish(made.person, made.check), 'The file "arm.xml"')
    expect((await hub.sql('select published_at from robot_checks where id = $1', [made.check]))[0]).toEqual({
      published_at: null,
    })
  })

  it('an artifact that is published is refused as one that has changed: a new check makes it again', async () => {
    const made = await modelCheck()
    await lose(artifact(made.check, 'walk.onnx'))
    const refused = await publish(made.person, made.check)
    expect([refused.status, refused.json.type]).toEqual([409, '/problems/conflict.artifact_changed'])
  })
})

describe('a repeat', () => {
  it('under the same Idempotency-Key is answered anew, once the object is back', async () => {
    const name = await model(ada, { 'manifest.json': manifest(), 'policy/w.bin': 'w' }, { meta: null })
    const [row] = await keysOfFile(name, 'manifest.json')
    await lose(keysOfFile(name, 'manifest.json'))
    const ask = () => hub.call(key, 'POST', '/v1/endpoints', { model_repo: name }, { 'idempotency-key': 'lost' })
    expectLost(await ask(), 'manifest.json')
    const bytes = Buffer.from(manifest())
    await hub.running.deps.objects?.put(row?.key ?? '', bytes, { sizeBytes: bytes.length })
    expect((await ask()).status).toBe(201)
  })
})
