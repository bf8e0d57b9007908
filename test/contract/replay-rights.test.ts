// @module-tag sampled
/**
 * A replay under an Idempotency-Key checks the caller's rights again: one row per POST of the route table, and each way to lose a right. A route without a row
 * fails here.
 */

import { newId } from '@hub/formats/ids'
import { beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../rest-compat/routes.ts'
import { sampled } from '../support/torture.ts'
import { type Answer, contractHub, type Json, newName, type Person, sha256Of, types, type Who } from './support/hub.ts'
import { sessionWorld } from './support/sessions.ts'

const hub = contractHub()
let boss: Person

beforeAll(async () => {
  boss = await hub.person()
})

/** An org of the boss, one of its members, and a train key of theirs that makes the request. */
interface Team {
  readonly org: string
  readonly member: Person
  readonly key: string
}

async function newTeam(): Promise<Team> {
  const member = await hub.person()
  const org = await hub.org([
    { user: boss.handle, role: 'owner' },
    { user: member.handle, role: 'member' },
  ])
  return { org, member, key: await hub.key(member, { scope: 'train' }) }
}

interface Request {
  readonly path: string
  readonly body: Json
}

interface Row {
  /** What the org has before the member's request. */
  readonly given: (team: Team) => Promise<Request>
  /** Once the member has left the org. */
  readonly left: number
  /** Once the key is limited to other repos: it still sees the runs that it filed itself. */
  readonly limited: number
  /** Once the key has the scope `read`; 403 unless said. */
  readonly lowered?: number
  /** The member's session makes the request: what happens to their key changes nothing. */
  readonly bySession?: true
}

const recipe = { template: 'act' }
const artifacts = { config_yaml: 'a: 1', metrics_summary: '' }
const file = (path: string) => ({ path, size: 5, sha256: sha256Of('bytes') })
const repoOf = (org: string, kind = 'dataset') => hub.repo(boss, { kind, owner: org })
const post = async (who: Who, path: string, body: Json) => (await hub.call(who, 'POST', path, body)).json
const runOf = async (org: string): Promise<string> => (await post(boss, '/v1/runs', { recipe, owner: org })).id

/** A robot repo of the org with a model file, and the request of a check of it. */
const checkOf = async (org: string) => {
  const robot = await repoOf(org, 'robot')
  await hub.upload(boss, robot, { 'arm.xml': '<mujoco/>' })
  return { kind: 'robot', robot_repo: robot, entry: 'arm.xml', control_hz: 50, action: 'position' }
}
const queuedCheck = async (org: string): Promise<string> =>
  (await post(boss, '/v1/robot-checks', await checkOf(org))).id

/** A model of the org with an ONNX file, and the request of an endpoint of it, billed to the org. */
const endpointOf = async (org: string) => {
  const model_repo = await repoOf(org, 'model')
  await hub.upload(boss, model_repo, { 'policy.onnx': 'bytes' })
  await hub.call(boss, 'PUT', `/v1/models/${model_repo}/meta`, { policy_type: 'act', control_class: 'skill' })
  return { model_repo, params: 5, owner: org }
}
const queuedEndpoint = async (org: string): Promise<string> =>
  (await post(boss, '/v1/endpoints', await endpointOf(org))).id
const endpointClaim = { worker: 'w', url: 'wss://box/policy', model_sha256: sha256Of('bytes') }

const keyIdOf = (token: string) => `(select id from api_keys where token_sha256 = sha256('${token}'))`

/** A hold on the org that the team's key filed. */
const holdOf = async ({ org, key }: Team): Promise<string> => {
  const [made] = await hub.sql<{ id: string }>(
    `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, request, summary, estimate_usd, reserve_usd, allowance_usd, expires_at)
      select $1, 'pending', 'run', a.id, ${keyIdOf(key)}, 'a key', $2::json, 'x', 1, 1, 0, now() + interval '1 day' from accounts a where a.handle = $3 returning id`,
    [newId('spend'), JSON.stringify({ recipe, owner: org }), org],
  )
  return made?.id ?? ''
}

const rows: Readonly<Record<string, Row>> = {
  createEndpoint: {
    given: async ({ org }) => ({ path: '/v1/endpoints', body: await endpointOf(org) }),
    left: 404,
    limited: 404,
  },
  estimateEndpoint: {
    given: async ({ org }) => ({ path: '/v1/endpoints/estimate', body: await endpointOf(org) }),
    left: 404,
    limited: 404,
  },
  claimEndpoint: {
    given: async ({ org }) => ({ path: `/v1/endpoints/${await queuedEndpoint(org)}/claim`, body: endpointClaim }),
    left: 404,
    limited: 404,
  },
  reportEndpoint: {
    given: async ({ org, key }) => {
      const endpoint = await queuedEndpoint(org)
      await hub.call(key, 'POST', `/v1/endpoints/${endpoint}/claim`, endpointClaim)
      return { path: `/v1/endpoints/${endpoint}/report`, body: { status: 'stopped' } }
    },
    left: 404,
    limited: 404,
  },
  approveSpendHold: {
    given: async (team) => ({ path: `/v1/spend/holds/${await holdOf(team)}/approve`, body: undefined }),
    left: 404,
    limited: 200,
    lowered: 200,
    bySession: true,
  },
  denySpendHold: {
    given: async (team) => ({ path: `/v1/spend/holds/${await holdOf(team)}/deny`, body: { reason: 'no' } }),
    left: 404,
    limited: 200,
    lowered: 200,
    bySession: true,
  },
  cancelSpendHold: {
    given: async (team) => ({ path: `/v1/spend/holds/${await holdOf(team)}/cancel`, body: undefined }),
    // Whoever filed it may cancel it, also after leaving the org.
    left: 200,
    limited: 200,
  },
  createRobotCheck: {
    given: async ({ org }) => ({ path: '/v1/robot-checks', body: await checkOf(org) }),
    left: 404,
    limited: 404,
  },
  createRepo: {
    given: async ({ org }) => ({ path: '/v1/repos', body: { kind: 'model', slug: newName(), owner: org } }),
    left: 403,
    limited: 403,
  },
  presignUpload: {
    given: async ({ org }) => ({
      path: `/v1/repos/${await repoOf(org)}/files/presign-upload`,
      body: { files: [file('a')] },
    }),
    left: 404,
    limited: 404,
  },
  linkFiles: {
    given: async ({ org }) => {
      const repo = await repoOf(org)
      await hub.upload(boss, repo, { a: 'bytes' })
      return { path: `/v1/repos/${repo}/files/link`, body: { files: [file('b')] } }
    },
    left: 404,
    limited: 404,
  },
  completeUpload: {
    given: async ({ org }) => {
      const repo = await repoOf(org)
      return {
        path: `/v1/repos/${repo}/files/complete`,
        body: { uploads: [await hub.sendFile(boss, repo, 'a', 'bytes')] },
      }
    },
    left: 404,
    limited: 404,
  },
  presignDownload: {
    given: async ({ org }) => {
      const repo = await repoOf(org)
      await hub.upload(boss, repo, { a: 'bytes' })
      return { path: `/v1/repos/${repo}/files/presign-download`, body: { paths: ['a'] } }
    },
    left: 404,
    limited: 404,
    lowered: 200,
  },
  deleteFiles: {
    given: async ({ org }) => ({ path: `/v1/repos/${await repoOf(org)}/files/delete`, body: { paths: ['a'] } }),
    left: 404,
    limited: 404,
  },
  createSnapshot: {
    given: async ({ org }) => ({ path: `/v1/repos/${await repoOf(org)}/snapshots`, body: { name: 'v1' } }),
    left: 404,
    limited: 404,
  },
  restoreState: {
    given: async ({ org }) => ({ path: `/v1/repos/${await repoOf(org)}/restore`, body: { at: '0' } }),
    left: 404,
    limited: 404,
  },
  purgeFiles: {
    given: async ({ org }) => ({ path: `/v1/repos/${await repoOf(org)}/files/purge`, body: { paths: ['a'] } }),
    left: 404,
    limited: 404,
  },
  validateRobotCard: {
    given: async ({ org }) => ({
      path: `/v1/robots/${await repoOf(org, 'robot')}/validate`,
      body: { card: { dof: 1 } },
    }),
    left: 404,
    limited: 404,
    lowered: 200,
  },
  claimNextRobotCheck: {
    given: async ({ org }) => {
      await queuedCheck(org)
      return { path: '/v1/robot-checks/claim-next', body: { worker: 'w' } }
    },
    left: 404,
    limited: 404,
  },
  claimRobotCheck: {
    given: async ({ org }) => ({ path: `/v1/robot-checks/${await queuedCheck(org)}/claim`, body: { worker: 'w' } }),
    left: 404,
    limited: 404,
  },
  cancelRobotCheck: {
    given: async ({ org }) => ({ path: `/v1/robot-checks/${await queuedCheck(org)}/cancel`, body: {} }),
    left: 404,
    limited: 404,
  },
  presignRobotCheckArtifacts: {
    given: async ({ org, key }) => {
      const check = await queuedCheck(org)
      await hub.call(key, 'POST', `/v1/robot-checks/${check}/claim`, { worker: 'w' })
      return { path: `/v1/robot-checks/${check}/artifacts`, body: { files: [{ name: 'robot_card.json', size: 2 }] } }
    },
    left: 404,
    limited: 404,
  },
  reportRobotCheck: {
    given: async ({ org, key }) => {
      const check = await queuedCheck(org)
      await hub.call(key, 'POST', `/v1/robot-checks/${check}/claim`, { worker: 'w' })
      return { path: `/v1/robot-checks/${check}/report`, body: { log_chunk: 'one\n' } }
    },
    left: 404,
    limited: 404,
  },
  publishRobotCheck: {
    given: async ({ org }) => {
      const check = await queuedCheck(org)
      const path = `/v1/robot-checks/${check}`
      await post(boss, `${path}/claim`, { worker: 'w' })
      const files = [{ name: 'robot_card.json', size: 9 }]
      const { uploads } = await post(boss, `${path}/artifacts`, { files })
      await hub.put(uploads[0].url, '{"dof":1}')
      const report = { ok: true, grade: 'pass', source: 'job', engine: 'mujoco', checks: [] }
      const artifacts = [{ path: 'robot_card.json' }]
      await post(boss, `${path}/report`, { status: 'succeeded', report, artifacts })
      return { path: `${path}/publish`, body: {} }
    },
    left: 404,
    limited: 404,
  },
  createRun: {
    given: async ({ org }) => ({ path: '/v1/runs', body: { recipe, owner: org } }),
    left: 403,
    limited: 200,
  },
  startRun: {
    given: async ({ org }) => ({ path: '/v1/runs/start', body: { recipe, owner: org, worker: 'w' } }),
    left: 403,
    // It filed the run itself.
    limited: 200,
  },
  importRun: {
    given: async ({ org }) => ({ path: '/v1/runs/import', body: { artifacts, owner: org } }),
    left: 403,
    limited: 201,
  },
  estimateRun: {
    given: async ({ org }) => ({ path: '/v1/runs/estimate', body: { recipe, owner: org } }),
    left: 403,
    limited: 200,
  },
  recommendRun: {
    given: async ({ org }) => ({ path: '/v1/runs/recommend', body: { recipe, owner: org } }),
    left: 403,
    limited: 200,
  },
  claimNextRun: {
    given: async ({ org }) => {
      await runOf(org)
      return { path: '/v1/runs/claim-next', body: { worker: 'w' } }
    },
    left: 404,
    limited: 404,
  },
  claimRun: {
    given: async ({ org }) => ({ path: `/v1/runs/${await runOf(org)}/claim`, body: { worker: 'w' } }),
    left: 404,
    limited: 404,
  },
  reportRun: {
    given: async ({ org, key }) => {
      const run = await runOf(org)
      await hub.call(key, 'POST', `/v1/runs/${run}/claim`, { worker: 'w' })
      return { path: `/v1/runs/${run}/report`, body: { log_chunk: 'one\n' } }
    },
    left: 404,
    limited: 404,
  },
  recordGateResults: {
    given: async ({ org, key }) => {
      const run = await runOf(org)
      await hub.call(key, 'POST', `/v1/runs/${run}/claim`, { worker: 'w' })
      const results = [{ step: 1, cells: [], seeds_run: 1, seeds_alive: 1 }]
      return { path: `/v1/runs/${run}/gate-results`, body: { results } }
    },
    left: 404,
    limited: 404,
  },
  openEndpointSession: {
    given: async ({ org }) => {
      const { path, body } = await sessionOf(org)
      return { path, body }
    },
    left: 404,
    limited: 404,
  },
  reportEndpointSession: {
    given: async ({ org }) => {
      const { path, session } = await sessionOf(org)
      return { path: `${path}/${session}/report`, body: { chunks_applied: 1 } }
    },
    left: 404,
    limited: 404,
  },
  cancelRun: {
    given: async ({ org }) => ({ path: `/v1/runs/${await runOf(org)}/cancel`, body: {} }),
    left: 404,
    limited: 404,
  },
}

/** An open session of a device of the org on an endpoint of the org, and the request that would open another. */
const sessionOf = async (org: string) => {
  const world = sessionWorld(hub)
  const [{ id: ownerId } = { id: '' }] = await hub.sql<{ id: string }>('select id from accounts where handle = $1', [
    org,
  ])
  const [endpoint, device] = [await world.endpoint(boss, { ownerId }), await world.device(boss, { owner: org })]
  const { token } = await world.approve(boss, endpoint, device)
  const request = { path: `/v1/endpoints/${endpoint}/sessions`, body: { device_id: device, approval_token: token } }
  return { ...request, session: (await post(boss, request.path, request.body)).session.id as string }
}

/** What these answer is a secret and never stored: a repeat is a new request. */
const withoutReplay = ['startDeviceLogin', 'redeemDeviceLogin']
const posts = routes
  .filter(({ method, operation }) => method === 'POST' && !withoutReplay.includes(operation))
  .map(({ operation }) => operation)

/** Ways to lose a right, and what a replay then is. */
const losses = {
  'the member has left the org': {
    lose: ({ org, member }: Team) =>
      hub.sql(`delete from memberships where user_id = $1 and org_id = (select id from accounts where handle = $2)`, [
        member.id,
        org,
      ]),
    expected: (row: Row) => row.left,
  },
  'the key is limited to other repos': {
    lose: ({ key }: Team) => hub.sql(`update api_keys set limited = true, repo_ids = '{}' where id = ${keyIdOf(key)}`),
    expected: (row: Row) => row.limited,
  },
  'the key has the scope read': {
    lose: ({ key }: Team) => hub.sql(`update api_keys set scope = 'read' where id = ${keyIdOf(key)}`),
    expected: (row: Row) => row.lowered ?? 403,
  },
  'the key is revoked': {
    lose: ({ key }: Team) => hub.sql(`update api_keys set revoked_at = now() where id = ${keyIdOf(key)}`),
    expected: (row: Row) => (row.bySession ? 200 : 401),
  },
}

const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed')

describe('a replay', () => {
  it('checks the current rights for every POST: each route has a row here', () => {
    expect(Object.keys(rows).toSorted()).toEqual(posts.toSorted())
  })

  describe.each(Object.entries(losses))('after %s', (_loss, { lose, expected }) => {
    it.each(sampled(Object.entries(rows), 2))('of %s has the result of the current rights', async (_operation, row) => {
      const team = await newTeam()
      const { path, body } = await row.given(team)
      const once = { 'idempotency-key': newName() }
      const who = row.bySession ? team.member : team.key
      const first = await hub.call(who, 'POST', path, body, once)
      expect([first.status, first.json.errors]).toEqual([expect.any(Number), undefined])
      const again = await hub.call(who, 'POST', path, body, once)
      expect([again.status < 300, replayed(again)]).toEqual([true, 'true'])
      await lose(team)
      const later = await hub.call(who, 'POST', path, body, once)
      expect(later.status).toBe(expected(row))
      if (later.status < 400) return
      expect([replayed(later), later.text.includes('http://')]).toEqual([null, false])
    })
  })

  it('of a stored error also checks access: its details are hidden from a member who has left', async () => {
    const team = await newTeam()
    const run = await runOf(team.org)
    await hub.call(boss, 'POST', `/v1/runs/${run}/claim`, { worker: 'secret box' })
    const once = { 'idempotency-key': newName() }
    const claim = () => hub.call(team.key, 'POST', `/v1/runs/${run}/claim`, { worker: 'w' }, once)
    expect(types(await claim())).toEqual(['conflict.already_claimed'])
    expect(replayed(await claim())).toBe('true')
    await losses['the member has left the org'].lose(team)
    const later = await claim()
    expect([later.status, later.text.includes('secret box'), replayed(later)]).toEqual([404, false, null])
  })

  it('of a stored authorization error checks again: a caller who has gained access may proceed', async () => {
    const stranger = await hub.person()
    const { org } = await newTeam()
    const once = { 'idempotency-key': newName() }
    const make = () => hub.call(stranger, 'POST', '/v1/runs', { recipe, owner: org }, once)
    expect((await make()).status).toBe(403)
    await hub.sql(
      `insert into memberships (org_id, user_id, role) select id, $1, 'member' from accounts where handle = $2`,
      [stranger.id, org],
    )
    const made = await make()
    expect([made.status, replayed(made)]).toEqual([201, null])
  })
})
