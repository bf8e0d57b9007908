import { defineCases, defineSecrets, type Reader, type Team } from '../support/define-cases.ts'
import { putEndpoint } from '../support/endpoints.ts'
import { sha256Of } from '../support/hub.ts'
import { sessionWorld } from '../support/sessions.ts'

/** A model of the org with an ONNX file, and the request of an endpoint of it, billed to the org. */
const endpointOf = async ({ hub, boss, org, repo }: Team) => {
  const model_repo = await repo('model')
  await hub.upload(boss, model_repo, { 'policy.onnx': 'bytes' })
  await hub.call(boss, 'PUT', `/v1/models/${model_repo}/meta`, { policy_type: 'act', control_class: 'skill' })
  return { model_repo, params: 5, owner: org }
}
/** The path of a queued endpoint of the org. */
const queued = async (team: Team): Promise<string> =>
  `/v1/endpoints/${(await team.post(team.boss, '/v1/endpoints', await endpointOf(team))).id}`
const claim = { worker: 'w', url: 'wss://box/policy', model_sha256: sha256Of('bytes') }

/** An open session of a device of the org on an endpoint of the org, and the request that would open another. */
const sessionOf = async ({ hub, boss, org, post }: Team) => {
  const world = sessionWorld(hub)
  const [{ id: ownerId } = { id: '' }] = await hub.sql<{ id: string }>('select id from accounts where handle = $1', [
    org,
  ])
  const [endpoint, device] = [await world.endpoint(boss, { ownerId }), await world.device(boss, { owner: org })]
  const { token } = await world.approve(boss, endpoint, device)
  const request = { path: `/v1/endpoints/${endpoint}/sessions`, body: { device_id: device, approval_token: token } }
  return { ...request, session: (await post(boss, request.path, request.body)).session.id as string }
}

/** Running endpoints of the reader; the id of one. */
const endpointsOf = async ({ hub, ada }: Reader, count: number): Promise<string> => {
  let id = ''
  for (let at = 0; at < count; at += 1) {
    const name = await hub.repo(ada, { kind: 'model' })
    const modelRepo = { id: (await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.id, name }
    id = await putEndpoint(hub.running.deps.db, { ownerId: ada.id, modelRepo, status: 'running' })
  }
  return id
}

/** Whatever sees an endpoint or a device asks first: the key of a check sees none. */
const jobKey = 404

export const cases = defineCases({
  listEndpoints: {
    costs: [
      {
        given: async (reader) => {
          await endpointsOf(reader, 3)
          return [1, 3].map((limit) => `/v1/endpoints?limit=${limit}`)
        },
        statements: 2,
      },
    ],
  },
  getEndpoint: {
    costs: [{ given: async (reader) => [`/v1/endpoints/${await endpointsOf(reader, 1)}`], statements: 2 }],
  },
  createEndpoint: {
    body: ({ robot }) => ({ model_repo: robot }),
    replay: {
      given: async (team) => ({ path: '/v1/endpoints', body: await endpointOf(team) }),
      gone: { remove: (team, made) => team.bury('endpoints', made) },
      left: 404,
      limited: 404,
    },
  },
  estimateEndpoint: {
    body: ({ robot }) => ({ model_repo: robot }),
    replay: {
      given: async (team) => ({ path: '/v1/endpoints/estimate', body: await endpointOf(team) }),
      gone: 'It makes nothing, and is computed again.',
      left: 404,
      limited: 404,
    },
  },
  claimEndpoint: {
    body: { worker: 'w', url: 'ws://box', model_sha256: sha256Of('b') },
    jobKey,
    replay: {
      given: async (team) => ({ path: `${await queued(team)}/claim`, body: claim }),
      gone: 'It makes a claim, which has to be the caller’s still.',
      left: 404,
      limited: 404,
    },
  },
  reportEndpoint: {
    body: {},
    jobKey,
    replay: {
      given: async (team) => {
        const endpoint = await queued(team)
        await team.post(team.key, `${endpoint}/claim`, claim)
        return { path: `${endpoint}/report`, body: { status: 'stopped' } }
      },
      gone: 'It reports.',
      left: 404,
      limited: 404,
    },
  },
  stopEndpoint: { jobKey },
  // The credential, the endpoint, the page.
  listEndpointSessions: {
    costs: [
      {
        given: async ({ hub, ada }) => {
          const world = sessionWorld(hub)
          const [endpoint, device] = [await world.endpoint(ada), await world.device(ada)]
          const { token } = await world.approve(ada, endpoint, device)
          for (let at = 0; at < 3; at += 1)
            await world.open(ada, endpoint, { device_id: device, approval_token: token })
          return [1, 100].map((limit) => `/v1/endpoints/${endpoint}/sessions?limit=${limit}`)
        },
        statements: 3,
      },
    ],
  },
  openEndpointSession: {
    body: { device_id: 'dev_01h455vb4pex5vsknk084sn02q' },
    jobKey,
    replay: {
      given: async (team) => {
        const { path, body } = await sessionOf(team)
        return { path, body }
      },
      gone: { remove: (team, { session }) => team.bury('endpoint_sessions', session) },
      left: 404,
      limited: 404,
    },
  },
  reportEndpointSession: {
    body: {},
    jobKey,
    replay: {
      given: async (team) => {
        const { path, session } = await sessionOf(team)
        return { path: `${path}/${session}/report`, body: { chunks_applied: 1 } }
      },
      gone: 'It reports.',
      left: 404,
      limited: 404,
    },
  },
})

export const secrets = defineSecrets(async ({ hub, ada, word }) => {
  const world = sessionWorld(hub)
  const endpoint = await world.endpoint(ada)
  const device = await world.device(ada, { name: word('device name') })
  const approval = await world.approve(ada, endpoint, device)
  const opened = await world.open(ada, endpoint, { device_id: device, approval_token: approval.token })
  return {
    ids: { endpoint, device, approval: approval.id, session: opened.json.session.id },
    beginnings: ['devices(owner: "ORG", first: 2)', 'endpoints(owner: "ORG", first: 2)'],
  }
})
