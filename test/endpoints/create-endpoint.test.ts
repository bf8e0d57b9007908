/** Spec, "POST /v1/endpoints", rules 1 to 6: what is pinned, on which tier, and what creating and estimating refuse. */

import { checkpointDigest } from '@hub/formats/policy/checkpoint-digest'
import { beforeAll, describe, expect, it } from 'vitest'
import { externalWeight, onnx } from '../../packages/formats/test/policy/policy-files.ts'
import { contractHub, type Json, newName, type Person, places, sha256Of, types } from '../support/hub.ts'
import { endpointsOf, manifest, onnxBytes, onnxSha256 } from '../support/hub-endpoints.ts'

const hub = contractHub()
const endpoints = endpointsOf(hub)
let ada: Person
let plain: string

beforeAll(async () => {
  ada = await hub.person()
  plain = await endpoints.model(ada)
})

const digest = (files: Record<string, string>) =>
  checkpointDigest(Object.entries(files).map(([path, bytes]) => ({ path, sha256: sha256Of(bytes) })))

const checkpoint = { 'manifest.json': manifest(), 'policy/weights.bin': 'w' }
const under = (folder: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, bytes]) => [`${folder}/${path}`, bytes]))

const outsideWeights = onnx({ weights: [externalWeight('w.data')] })

/** Create and estimate refuse alike. */
async function refused(name: string, change: Json = {}): Promise<Json> {
  const [created, estimated] = [await endpoints.create(ada, name, change), await endpoints.estimate(ada, name, change)]
  const facts = [created, estimated].map((answer) => [answer.status, types(answer), places(answer)])
  expect(facts[0]).toEqual(facts[1])
  expect((await hub.call(ada, 'GET', `/v1/endpoints?model_repo=${name}`)).json.items).toEqual([])
  return [...(facts[0] ?? []), created.json.detail]
}

describe('createEndpoint', () => {
  it('answers 201 with every member, queued for a worker, pinned to the only ONNX file at the root, and is audited', async () => {
    const answer = await endpoints.create(ada, plain, {
      name: 'arm',
      max_hours: 2.5,
      budget_usd: 3,
      params: 3_000_000_000,
    })
    expect(answer.headers.get('location')).toBe(`/v1/endpoints/${answer.json.id}`)
    const { id, model_repo, owner, created_by, created_at, ...rest } = answer.json
    expect(id).toMatch(/^ep_/)
    expect([model_repo.full_name, owner.handle, created_by.handle]).toEqual([plain, ada.handle, ada.handle])
    expect(Date.parse(created_at)).toBeGreaterThan(0)
    expect([answer.status, rest]).toEqual([
      201,
      {
        name: 'arm',
        status: 'queued',
        executor: 'worker',
        artifact: {
          kind: 'onnx',
          path: 'policy.onnx',
          sha256: onnxSha256,
          policy_format: null,
          files: 1,
          bytes: onnxBytes.length,
        },
        model_sha256: onnxSha256,
        contract_fingerprint: null,
        control_class: 'skill',
        tier: 'l4',
        params: 3_000_000_000,
        vram_bytes: 7_200_000_000,
        rate_usd_per_hour: 0,
        max_hours: 2.5,
        budget_usd: 3,
        priced: false,
        url: null,
        claimed_by: null,
        claimed_at: null,
        started_at: null,
        heartbeat_at: null,
        stop_requested_at: null,
        stop_reason: null,
        finished_at: null,
        hosted_call_id: null,
        dispatched_at: null,
        error: null,
        cost_usd: null,
        sessions_open: 0,
        sessions_total: 0,
        chunks_served: 0,
        gpu_seconds: 0,
        service_ms_p95: null,
        rtt_ms_p95: null,
      },
    ])
    expect(await endpoints.read(ada, id)).toEqual(answer.json)
    expect(await endpoints.audits(id)).toEqual(['endpoint.create'])
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${plain}`)).json.errors[0]).toMatchObject({
      type: 'conflict.referenced',
      referrer: id,
    })
  })

  it('pins what the request names', async () => {
    const files = { 'a.onnx': 'a', 'b.onnx': 'b', 'deep/c.onnx': 'c', 'x/manifest.json': manifest(), 'x/policy/w': 'w' }
    const name = await endpoints.model(ada, files)
    const artifact = async (change: Json) => (await endpoints.queued(ada, name, change)).artifact
    expect(await artifact({ onnx_path: 'b.onnx' })).toMatchObject({
      kind: 'onnx',
      path: 'b.onnx',
      sha256: sha256Of('b'),
    })
    expect(await artifact({ onnx_path: 'deep/c.onnx' })).toMatchObject({ path: 'deep/c.onnx', sha256: sha256Of('c') })
    expect(await artifact({ policy_path: 'x' })).toMatchObject({
      kind: 'checkpoint',
      path: 'x',
      policy_format: 'vla-lib',
      files: 2,
      sha256: digest({ 'manifest.json': manifest(), 'policy/w': 'w' }),
    })
  })

  it('finds a checkpoint where there is no ONNX file at the root: the repo itself, before those of a training run', async () => {
    const files = {
      ...checkpoint,
      ...under('checkpoints/step_9', { ...checkpoint, 'policy/weights.bin': 'v' }),
      'README.md': '#',
    }
    const name = await endpoints.model(ada, files, { meta: null })
    const sha256 = digest(checkpoint)
    const made = await endpoints.queued(ada, name, { params: null })
    expect(made).toMatchObject({
      artifact: { kind: 'checkpoint', path: '', files: 2, sha256 },
      model_sha256: sha256,
      control_class: 'skill',
      params: 1_000_000,
    })
    expect((await endpoints.queued(ada, name, { policy_path: 'policy' })).artifact.path).toBe('')
    expect((await endpoints.queued(ada, name, { policy_path: 'checkpoints/step_9/policy' })).artifact.path).toBe(
      'checkpoints/step_9',
    )
    const only = await endpoints.model(ada, under('m', checkpoint), { meta: null })
    expect((await endpoints.queued(ada, only, { params: null })).artifact.path).toBe('m')
  })

  it('takes class, size and contract of a checkpoint from its manifest, whatever the model meta says', async () => {
    const contract_fingerprint = 'c'.repeat(64)
    const files = {
      ...checkpoint,
      'manifest.json': manifest({
        control_class: 'planner',
        params: 7,
        contract_fingerprint,
        policy_format: 'vla-lib-peft',
      }),
    }
    const name = await endpoints.model(ada, files, { meta: { control_class: 'reflex' } })
    const made = await endpoints.queued(ada, name, { params: 9 })
    expect(made).toMatchObject({
      control_class: 'planner',
      params: 7,
      contract_fingerprint,
      artifact: { policy_format: 'vla-lib-peft' },
    })
  })

  it('takes size, contract and an undeclared class of an ONNX file from contract.json beside it', async () => {
    const contract_fingerprint = 'd'.repeat(64)
    const contract = JSON.stringify({ params: 11, control_class: 'planner', contract_fingerprint })
    const files = { 'policy.onnx': onnxBytes, 'contract.json': contract }
    const [declared, undeclared] = [
      await endpoints.model(ada, files),
      await endpoints.model(ada, files, { meta: null }),
    ]
    expect(await endpoints.queued(ada, declared, { params: 9 })).toMatchObject({
      control_class: 'skill',
      params: 11,
      contract_fingerprint,
    })
    expect(await endpoints.queued(ada, undeclared, { params: null })).toMatchObject({
      control_class: 'planner',
      params: 11,
    })
  })

  it.each([
    [10_000_000_000, 'l4', 24_000_000_000],
    [10_000_000_001, 'a100', 24_000_000_003],
    [33_333_333_333, 'a100', 80_000_000_000],
    [1, 'l4', 3],
  ])('puts %i parameters on %s', async (params, tier, vram_bytes) => {
    expect(await endpoints.queued(ada, plain, { params })).toMatchObject({ params, tier, vram_bytes })
  })

  it('is billed to an org of the caller that it names', async () => {
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    expect((await endpoints.queued(ada, plain, { owner: org })).owner).toMatchObject({ kind: 'org', handle: org })
  })

  it('serves the public model of a stranger, who can still delete it', async () => {
    const eve = await hub.person()
    const name = await endpoints.model(eve, undefined, { visibility: 'public' })
    const { id } = await endpoints.queued(ada, name)
    expect((await hub.call(eve, 'PATCH', `/v1/repos/${name}`, { visibility: 'private' })).status).toBe(200)
    expect((await hub.call(eve, 'DELETE', `/v1/repos/${name}`)).status).toBe(204)
    expect((await endpoints.read(ada, id)).model_repo.full_name).toBe(name)
    expect((await hub.graphql(ada, `{ endpoint(id: "${id}") { model { id } } }`)).data.endpoint.model).toBeNull()
  })
})

describe('create and estimate refuse alike, and record nothing:', () => {
  const value = (member: string) => [422, ['validation.value'], [['body', member]]]
  const required = (member: string) => [422, ['validation.required'], [['body', member]]]
  const nothing = [409, ['conflict.no_artifact'], [undefined]]
  const reflex = [409, ['conflict.reflex'], [undefined]]

  it('names the ONNX file in a folder that nobody asked for, and how a checkpoint gets to the root', async () => {
    const [plain, below] = [{ 'README.md': '#' }, { 'checkpoints/step_2/a.onnx': 'x', 'checkpoints/step_2/a.txt': 'y' }]
    const said = await Promise.all(
      [plain, below].map(async (files) => {
        const model_repo = await endpoints.model(ada, files)
        return (await hub.call(ada, 'POST', '/v1/endpoints', { model_repo })).json.detail
      }),
    )
    expect(said[0]).toMatch(/manifest\.json and policy\/\.$/)
    expect(said[1]).toContain('onnx_path, such as "checkpoints/step_2/a.onnx", or')
    expect(said[1]).toContain('hub runs promote RUN OWNER/NAME')
  })

  it.each<[string, Record<string, string | Buffer>, Json, Json, Json]>([
    ['a reflex', { 'policy.onnx': 'x' }, { meta: { control_class: 'reflex' } }, {}, reflex],
    ['a class that nobody declares', { 'policy.onnx': 'x' }, { meta: null }, {}, required('model_repo')],
    ['a class that its meta leaves out', { 'policy.onnx': 'x' }, { meta: {} }, {}, required('model_repo')],
    [
      'an ONNX file that its contract calls a reflex',
      { 'policy.onnx': 'x', 'contract.json': '{"control_class":"reflex"}' },
      {},
      {},
      reflex,
    ],
    ['a contract that is not JSON', { 'policy.onnx': 'x', 'contract.json': '{' }, {}, {}, nothing],
    ['several ONNX files', { 'a.onnx': 'x', 'b.onnx': 'y' }, {}, {}, required('onnx_path')],
    ['both shapes', { 'a.onnx': 'x', ...checkpoint }, {}, {}, required('policy_path')],
    [
      'both paths',
      { 'a.onnx': 'x', ...checkpoint },
      {},
      { onnx_path: 'a.onnx', policy_path: 'policy' },
      value('policy_path'),
    ],
    ['several checkpoints', { ...under('a', checkpoint), ...under('b', checkpoint) }, {}, {}, required('policy_path')],
    ['an ONNX path that is not a file', { 'a.onnx': 'x' }, {}, { onnx_path: 'b.onnx' }, value('onnx_path')],
    ['an ONNX path of another file', { 'a.onnx': 'x', 'a.txt': 'y' }, {}, { onnx_path: 'a.txt' }, value('onnx_path')],
    ['an ONNX file with weights in another file', { 'a.onnx': outsideWeights, 'w.data': 'w' }, {}, {}, nothing],
    ['nothing to serve', { 'README.md': '#' }, {}, {}, nothing],
    ['an ONNX file that is not at the root alone', { 'deep/a.onnx': 'x' }, {}, {}, nothing],
    ['a directory that is empty', { 'a.onnx': 'x' }, {}, { policy_path: 'nothing' }, nothing],
    ['a directory without a manifest', { 'x/policy/w': 'w' }, {}, { policy_path: 'x' }, nothing],
    ['a directory without a policy', { 'x/manifest.json': manifest() }, {}, { policy_path: 'x' }, nothing],
    ['a manifest that is not JSON', { ...checkpoint, 'manifest.json': '{' }, {}, {}, nothing],
    [
      'a manifest without a format',
      { ...checkpoint, 'manifest.json': manifest({ policy_format: undefined }) },
      {},
      {},
      nothing,
    ],
    [
      'a manifest of another format',
      { ...checkpoint, 'manifest.json': manifest({ policy_format: 'onnx' }) },
      {},
      {},
      nothing,
    ],
    [
      'a manifest that says reflex',
      { ...checkpoint, 'manifest.json': manifest({ control_class: 'reflex' }) },
      {},
      {},
      reflex,
    ],
    ['a size that nobody declares', { 'policy.onnx': 'x' }, {}, { params: null }, required('params')],
    [
      'a checkpoint whose size nobody declares',
      { ...checkpoint, 'manifest.json': manifest({ params: undefined }) },
      {},
      { params: null },
      required('params'),
    ],
    ['a model that fits no tier', { 'policy.onnx': 'x' }, {}, { params: 33_333_333_334 }, value('params')],
    [
      'a body that is wrong',
      { 'policy.onnx': 'x' },
      {},
      { budget_usd: 0 },
      [422, ['validation.value'], [['body', 'budget_usd']]],
    ],
  ])('%s', async (_, files, change, asked, expected) => {
    const answer = await refused(await endpoints.model(ada, files, change), asked)
    expect(answer.slice(0, 3)).toEqual(expected)
  })

  it('a repo that is not a model, one that is not there, and an owner who is not the caller', async () => {
    const robot = await hub.repo(ada, { kind: 'robot' })
    expect((await refused(robot)).slice(0, 2)).toEqual([409, ['conflict.wrong_kind']])
    expect((await refused(`${ada.handle}/none`))[0]).toBe(404)
    const eve = await hub.person()
    const own = await endpoints.model(ada)
    expect((await refused(own, { owner: eve.handle })).slice(0, 3)).toEqual([
      403,
      ['forbidden.scope'],
      [['body', 'owner']],
    ])
    expect((await refused(own, { owner: 'nobody-at-all' })).slice(0, 2)).toEqual([403, ['forbidden.scope']])
  })

  it('a file that the hub has not hashed yet', async () => {
    const name = await endpoints.model(ada, { 'policy.onnx': newName() })
    await hub.sql(
      `update blobs set sha256 = null where id in (select f.blob_id from files f join repos r on r.id = f.repo_id join accounts o on o.id = r.owner_id
        where o.handle || '/' || r.slug = $1)`,
      [name],
    )
    expect((await refused(name)).slice(0, 2)).toEqual([409, ['conflict.unverified']])
  })

  it('a hosted endpoint for an owner that is not listed; one without a hosted app is 503 to create, and priced to estimate', async () => {
    const name = await endpoints.model(ada)
    expect(types(await endpoints.create(ada, name, { executor: 'hosted' }))).toEqual(['not_configured.hosted_app'])
    expect(types(await endpoints.estimate(ada, name, { executor: 'hosted' }))).toEqual(['forbidden.hosted_owner'])
  })
})

describe('the body of createEndpoint', () => {
  it.each([
    ['model_repo', null],
    ['model_repo', 'no-slash'],
    ['model_repo', 'A/b'],
    ['onnx_path', '../x.onnx'],
    ['policy_path', '/x'],
    ['executor', 'WORKER'],
    ['owner', 'No One'],
    ['name', ''],
    ['name', 'a'.repeat(65)],
    ['params', 0],
    ['params', 1.5],
    ['max_hours', 0],
    ['max_hours', 720.001],
    ['max_hours', 1e-11],
    ['budget_usd', -1],
    ['budget_usd', 0.00004],
    ['hours', 1],
    ['tier', 'h100'],
  ])('is 422 at %s: %j', async (member, given) => {
    const answer = await endpoints.create(ada, plain, { [member]: given })
    expect([answer.status, places(answer)]).toEqual([422, [['body', member]]])
  })
})
