// @module-tag sampled
/**
 * A replay under an Idempotency-Key of what is gone: one row per POST of the route table that makes something, and how that is deleted. Every other POST is listed with
 * what it does instead, so a new route fails here until it is one or the other.
 */

import { itOnce, sampled } from '@hub/testing/torture'
import { beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../rest-compat/routes.ts'
import { type Answer, contractHub, type Json, newName, type Person, sha256Of, types } from '../support/hub.ts'
import { endpointsOf } from '../support/hub-endpoints.ts'
import { sessionWorld } from '../support/sessions.ts'

const hub = contractHub({ HOSTED_APP_NAME: 'coach', HOSTED_OWNERS: '*', HOSTED_MAX_PROCESSES: '1' })
const endpoints = endpointsOf(hub)
let ada: Person
let key: string
let agent: string

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
  agent = await hub.key(ada, { scope: 'train', agent: true })
})

interface Request {
  readonly path: string
  readonly body: Json
  /** Who sends it; ada's train key by default. */
  readonly who?: string
}
interface Row {
  readonly given: () => Promise<Request>
  /** Deletes what the first request made. */
  readonly remove: (made: Json, request: Request) => Promise<unknown>
  /** Makes a thing of the same name, if a name can be taken again. */
  readonly retake?: (made: Json, request: Request) => Promise<unknown>
}

const recipe = { template: 'act' }
const bytes = 'bytes'
const file = (path: string) => ({ path, size: bytes.length, sha256: sha256Of(bytes) })
const repo = (kind = 'dataset') => hub.repo(ada, { kind })
const ok = (asked: Promise<Answer>, status: number) => endpoints.ok(asked, status)
const remove = (path: string) => ok(hub.call(ada, 'DELETE', path), 204)
const repoOf = ({ path }: Request) => path.split('/').slice(3, 5).join('/')
const removeRun = async ({ id }: Json) => {
  await hub.sql(`update runs set status = 'failed', finished_at = now() where id = $1 and status <> 'succeeded'`, [id])
  return remove(`/v1/runs/${id}`)
}
const sameRepo = (name: string, kind = 'dataset') =>
  ok(hub.call(ada, 'POST', '/v1/repos', { kind, slug: name.split('/')[1] }), 201)
const checkOf = (robot_repo: string) => ({
  kind: 'robot',
  robot_repo,
  entry: 'arm.xml',
  control_hz: 50,
  action: 'position',
})
const robot = async () => {
  const name = await repo('robot')
  await hub.upload(ada, name, { 'arm.xml': '<mujoco/>' })
  return name
}
const bury = (table: string) => async (made: Json) => hub.sql(`delete from ${table} where id = $1`, [made.id])

/** A model check whose draft is to be published into another repo, which is made for it. */
async function succeededModelCheck(): Promise<{ id: string; target: string }> {
  const model = await endpoints.model(ada)
  const body = { kind: 'model', model: { repo: model }, entry: 'policy.onnx', executor: 'worker' }
  const { id } = await ok(hub.call(ada, 'POST', '/v1/robot-checks', body), 201)
  await ok(hub.call(key, 'POST', `/v1/robot-checks/${id}/claim`, { worker: 'w' }), 200)
  const { uploads } = await ok(
    hub.call(key, 'POST', `/v1/robot-checks/${id}/artifacts`, { files: [{ name: 'manifest.json', size: 2 }] }),
    200,
  )
  await hub.put(uploads[0].url, '{}')
  const report = { ok: true, grade: 'pass', source: 'job', engine: 'x', checks: [] }
  const intake = { policy_path: null, embodiment: 'unstamped', differing: [] }
  const ending = { status: 'succeeded', report, intake, artifacts: [{ path: 'manifest.json' }] }
  await ok(hub.call(key, 'POST', `/v1/robot-checks/${id}/report`, ending), 200)
  return { id, target: `${ada.handle}/${newName('made')}` }
}

const rows: Readonly<Record<string, Row>> = {
  createRepo: {
    given: async () => ({ path: '/v1/repos', body: { kind: 'model', slug: newName() } }),
    remove: ({ full_name }) => remove(`/v1/repos/${full_name}`),
    retake: ({ full_name }) => sameRepo(full_name),
  },
  createRun: { given: async () => ({ path: '/v1/runs', body: { recipe } }), remove: removeRun },
  startRun: { given: async () => ({ path: '/v1/runs/start', body: { recipe, worker: 'w' } }), remove: removeRun },
  importRun: {
    given: async () => ({
      path: '/v1/runs/import',
      body: { artifacts: { config_yaml: 'a: 1', metrics_summary: '' } },
    }),
    remove: removeRun,
  },
  createRobotCheck: {
    given: async () => ({ path: '/v1/robot-checks', body: checkOf(await robot()) }),
    remove: bury('robot_checks'),
  },
  createEndpoint: {
    given: async () => ({ path: '/v1/endpoints', body: { model_repo: await endpoints.model(ada), params: 5 } }),
    remove: bury('endpoints'),
  },
  createSnapshot: {
    given: async () => ({ path: `/v1/repos/${await repo()}/snapshots`, body: { name: 'v1' } }),
    remove: (_made, { path }) => remove(`${path}/v1`),
    retake: (_made, { path }) => ok(hub.call(ada, 'POST', path, { name: 'v1' }), 201),
  },
  presignUpload: {
    given: async () => ({ path: `/v1/repos/${await repo()}/files/presign-upload`, body: { files: [file('a')] } }),
    remove: ({ uploads }, request) => remove(`/v1/repos/${repoOf(request)}/files/uploads/${uploads[0].upload_id}`),
    retake: (_made, { path, body }) => ok(hub.call(ada, 'POST', path, body), 200),
  },
  presignBlobs: {
    given: async () => {
      const blobs = [{ size: 5, sha256: 'c'.repeat(64) }]
      return { path: `/v1/repos/${await repo()}/blobs/presign`, body: { blobs } }
    },
    remove: ({ blobs }, request) => remove(`/v1/repos/${repoOf(request)}/files/uploads/${blobs[0].upload.upload_id}`),
    retake: (_made, { path, body }) => ok(hub.call(ada, 'POST', path, body), 200),
  },
  completeUpload: {
    given: async () => {
      const name = await repo()
      const upload = await hub.sendFile(key, name, 'a', bytes)
      return { path: `/v1/repos/${name}/files/complete`, body: { uploads: [upload] } }
    },
    remove: (_made, request) =>
      ok(hub.call(ada, 'POST', `/v1/repos/${repoOf(request)}/files/delete`, { paths: ['a'] }), 200),
  },
  linkFiles: {
    given: async () => {
      const name = await repo()
      await hub.upload(ada, name, { a: bytes })
      return { path: `/v1/repos/${name}/files/link`, body: { files: [file('b')] } }
    },
    remove: (_made, request) =>
      ok(hub.call(ada, 'POST', `/v1/repos/${repoOf(request)}/files/delete`, { paths: ['b'] }), 200),
  },
  openEndpointSession: {
    given: async () => {
      const world = sessionWorld(hub)
      const [endpoint, device] = [await world.endpoint(ada), await world.device(ada)]
      const { token } = await world.approve(ada, endpoint, device)
      return { path: `/v1/endpoints/${endpoint}/sessions`, body: { device_id: device, approval_token: token } }
    },
    remove: ({ session }) => bury('endpoint_sessions')(session),
  },
  publishRobotCheck: {
    given: async () => {
      const { id, target } = await succeededModelCheck()
      return { path: `/v1/robot-checks/${id}/publish`, body: { repo: target }, who: ada.token }
    },
    remove: (_made, { body }) => remove(`/v1/repos/${body.repo}`),
  },
}

/** What the other POSTs do: they act on what their path names, which their guard finds or does not, or they make nothing that can be deleted. */
const acts: Readonly<Record<string, string>> = {
  startDeviceLogin: 'is never stored',
  redeemDeviceLogin: 'is never stored',
  estimateRun: 'makes nothing, and is computed again',
  recommendRun: 'makes nothing, and is computed again',
  estimateEndpoint: 'makes nothing, and is computed again',
  validateRobotCard: 'makes nothing, and is computed again',
  presignDownload: 'makes nothing, and is computed again',
  deleteFiles: 'deletes',
  purgeFiles: 'deletes',
  restoreState: 'makes a change, which stays in the history',
  moveRepo: 'changes the name of a repo, which it finds by its old name',
  commitFiles: 'makes a change, which stays in the history',
  completeBlobs: 'makes bytes that have no name, and are sent again where a commit misses them',
  storeBlobs: 'makes bytes that have no name, and are sent again where a commit misses them',
  claimRun: 'makes a claim, which has to be the caller’s still',
  claimNextRun: 'makes a claim, which has to be the caller’s still',
  claimRobotCheck: 'makes a claim, which has to be the caller’s still',
  claimNextRobotCheck: 'makes a claim, which has to be the caller’s still',
  claimEndpoint: 'makes a claim, which has to be the caller’s still',
  presignRobotCheckArtifacts: 'is for a check that the caller holds still',
  reportRun: 'reports',
  reportRobotCheck: 'reports',
  reportEndpoint: 'reports',
  reportEndpointSession: 'reports',
  recordGateResults: 'reports',
  cancelRun: 'ends what its path names',
  cancelRobotCheck: 'ends what its path names',
  cancelSpendHold: 'decides on what its path names',
  denySpendHold: 'decides on what its path names',
  approveSpendHold: 'returns the hold, which keeps the id of a deleted job',
}

const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed')

/** Sends a request, and once more; `again` repeats it. */
async function sent(given: Row['given']) {
  const request = await given()
  const once = { 'idempotency-key': newName() }
  const again = () => hub.call(request.who ?? key, 'POST', request.path, request.body, once)
  const first = await again()
  expect([first.status < 300, first.json.errors]).toEqual([true, undefined])
  const second = await again()
  expect([second.status < 300, replayed(second), second.json.id]).toEqual([true, 'true', first.json.id])
  return { request, made: first.json, again }
}

async function expectGone(again: () => Promise<Answer>): Promise<void> {
  const later = await again()
  expect([later.status, types(later), replayed(later)]).toEqual([404, ['not_found'], null])
  expect(later.json.detail).toMatch(/^.+ does not exist or is not visible to you\.$/)
}

describe('a replay', () => {
  itOnce('is of a route that has a row here, or makes nothing', () => {
    const posts = routes.filter(({ method }) => method === 'POST').map(({ operation }) => operation)
    expect([...Object.keys(rows), ...Object.keys(acts)].toSorted()).toEqual(posts.toSorted())
  })

  itOnce.each(Object.entries(rows))('of %s is 404 once what it made is deleted', async (_operation, row) => {
    const { request, made, again } = await sent(row.given)
    await row.remove(made, request)
    await expectGone(again)
    await expectGone(again)
  })

  const named = Object.entries(rows).filter(([, { retake }]) => retake !== undefined)
  itOnce.each(named)('of %s is 404 also when another has its name', async (_operation, row) => {
    const { request, made, again } = await sent(row.given)
    await row.remove(made, request)
    await row.retake?.(made, request)
    await expectGone(again)
  })

  const ofRepo: Readonly<Record<string, (name: string) => Request>> = {
    createSnapshot: (name) => ({ path: `/v1/repos/${name}/snapshots`, body: { name: 'v1' } }),
    deleteFiles: (name) => ({ path: `/v1/repos/${name}/files/delete`, body: { paths: ['a'] } }),
    restoreState: (name) => ({ path: `/v1/repos/${name}/restore`, body: { at: '1' } }),
    purgeFiles: (name) => ({ path: `/v1/repos/${name}/files/purge`, body: { paths: ['a'] } }),
    linkFiles: (name) => ({ path: `/v1/repos/${name}/files/link`, body: { files: [file('a')] } }),
    presignUpload: (name) => ({ path: `/v1/repos/${name}/files/presign-upload`, body: { files: [file('c')] } }),
  }
  it.each(sampled(Object.entries(ofRepo), 2))(
    'of %s is 404 in a repo that was deleted and made again under its name',
    async (_operation, requestOf) => {
      const name = await repo()
      await hub.upload(ada, name, { a: bytes })
      const { again } = await sent(async () => ({ ...requestOf(name), who: ada.token }))
      await remove(`/v1/repos/${name}`)
      await expectGone(again)
      await sameRepo(name)
      await hub.upload(ada, name, { a: bytes })
      await expectGone(again)
    },
  )

  itOnce('of a spend hold is 404 once the hold is gone', async () => {
    const body = { recipe: { ...recipe, executor: 'hosted', max_hours: 1 } }
    const { made, again } = await sent(async () => ({ path: '/v1/runs', body, who: agent }))
    expect(made.id).toMatch(/^spend_/)
    await bury('spend_holds')(made)
    await expectGone(again)
  })

  itOnce(
    'of a file that was overwritten since, and of an upload that was completed since, is the first answer',
    async () => {
      const { request, made, again } = await sent((rows.linkFiles as Row).given)
      await hub.upload(ada, repoOf(request), { b: 'other' })
      const later = await again()
      expect([later.status, later.json]).toEqual([200, made])
      const name = await repo()
      const path = `/v1/repos/${name}/files/presign-upload`
      const presigned = await sent(async () => ({ path, body: { files: [file('a')] } }))
      const upload = await hub.sendFile(key, name, 'a', bytes)
      expect(upload.upload_id).toBe(presigned.made.uploads[0].upload_id)
      await ok(hub.complete(key, name, [upload]), 200)
      expect((await presigned.again()).status).toBe(200)
    },
  )

  itOnce.each<[string, string]>([
    ['createRepo', 'update repos set owner_id = $2 where id = $1'],
    ['createRun', `update runs set owner_id = $2, created_by = $2, filed_by = 'sess_other' where id = $1`],
    ['createEndpoint', `update endpoints set owner_id = $2, created_by = $2, filed_by = 'sess_other' where id = $1`],
  ])('of %s is 404 also where the caller may still make one, but sees that one no more', async (operation, moved) => {
    const eve = await hub.person()
    const { made, again } = await sent((rows[operation] as Row).given)
    await hub.sql(moved, [made.id, eve.id])
    await expectGone(again)
  })
})
