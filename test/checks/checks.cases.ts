import { goodReport } from '../support/checks.ts'
import { defineCases, defineSecrets, type Reader, type Repeated, type Team } from '../support/define-cases.ts'
import { newName } from '../support/hub.ts'
import { endpointsOf } from '../support/hub-endpoints.ts'

/** The request of a check of a robot. */
const asked = (robot_repo: string) => ({
  kind: 'robot',
  robot_repo,
  entry: 'arm.xml',
  control_hz: 50,
  action: 'position',
})
const files = [{ name: 'robot_card.json', size: 9 }]

/** A robot repo of the org with a model file, and the request of a check of it. */
const checkOf = async (team: Team) => {
  const robot = await team.repo('robot')
  await team.hub.upload(team.boss, robot, { 'arm.xml': '<mujoco/>' })
  return asked(robot)
}
/** The path of a queued check of the org. */
const queued = async (team: Team): Promise<string> =>
  `/v1/robot-checks/${(await team.post(team.boss, '/v1/robot-checks', await checkOf(team))).id}`
/** The path of a check of the org that the team's key has claimed. */
const claimed = async (team: Team): Promise<string> => {
  const check = await queued(team)
  await team.post(team.key, `${check}/claim`, { worker: 'w' })
  return check
}
/** The path of a check of the org that the boss has ended, ready to be published. */
const ended = async (team: Team): Promise<string> => {
  const check = await queued(team)
  await team.post(team.boss, `${check}/claim`, { worker: 'w' })
  const { uploads } = await team.post(team.boss, `${check}/artifacts`, { files })
  await team.hub.put(uploads[0].url, '{"dof":1}')
  const artifacts = [{ path: 'robot_card.json' }]
  await team.post(team.boss, `${check}/report`, { status: 'succeeded', report: goodReport, artifacts })
  return check
}

/** The request that publishes what a model check of the member made, into another repo, which is made for it. */
const publishing = async ({ hub, member, key, post }: Team): Promise<Repeated> => {
  const body = {
    kind: 'model',
    model: { repo: await endpointsOf(hub).model(member) },
    entry: 'policy.onnx',
    executor: 'worker',
  }
  const check = `/v1/robot-checks/${(await post(member, '/v1/robot-checks', body)).id}`
  await post(key, `${check}/claim`, { worker: 'w' })
  const { uploads } = await post(key, `${check}/artifacts`, { files: [{ name: 'manifest.json', size: 2 }] })
  await hub.put(uploads[0].url, '{}')
  const report = { ok: true, grade: 'pass', source: 'job', engine: 'x', checks: [] }
  const intake = { policy_path: null, embodiment: 'unstamped', differing: [] }
  await post(key, `${check}/report`, { status: 'succeeded', report, intake, artifacts: [{ path: 'manifest.json' }] })
  return { path: `${check}/publish`, body: { repo: `${member.handle}/${newName('made')}` }, who: member }
}

const claims = 'It makes a claim, which has to be the caller’s still.'

const checksOf = async ({ hub, ada }: Reader, count: number): Promise<string> => {
  let id = ''
  for (let at = 0; at < count; at += 1) {
    const robot = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, robot, { 'arm.xml': `<mujoco model="${at}"/>` })
    id = (await hub.call(ada, 'POST', '/v1/robot-checks', asked(robot))).json.id
  }
  return id
}

/** What every key that sees a check may read of it. */
const scopes = { read: 200, write: 200 }

export const cases = defineCases({
  listRobotChecks: {
    scopes,
    costs: [
      {
        given: async (reader) => {
          await checksOf(reader, 3)
          return [1, 3].map((limit) => `/v1/robot-checks?limit=${limit}`)
        },
        statements: 2,
      },
    ],
  },
  getRobotCheck: {
    scopes,
    costs: [{ given: async (reader) => [`/v1/robot-checks/${await checksOf(reader, 1)}`], statements: 2 }],
  },
  streamRobotCheckLogs: { scopes },
  downloadRobotCheckLog: { scopes },
  createRobotCheck: {
    body: ({ robot }) => asked(robot),
    scopes: { read: 403, write: 201 },
    replay: {
      given: async (team) => ({ path: '/v1/robot-checks', body: await checkOf(team) }),
      gone: { remove: (team, made) => team.bury('robot_checks', made) },
      left: 404,
      limited: 404,
    },
  },
  claimNextRobotCheck: {
    body: { worker: 'w' },
    scopes: { read: 403, write: 200 },
    replay: {
      given: async (team) => {
        await queued(team)
        return { path: '/v1/robot-checks/claim-next', body: { worker: 'w' } }
      },
      gone: claims,
      left: 404,
      limited: 404,
    },
  },
  claimRobotCheck: {
    body: { worker: 'w' },
    scopes: { read: 403, write: 200 },
    replay: {
      given: async (team) => ({ path: `${await queued(team)}/claim`, body: { worker: 'w' } }),
      gone: claims,
      left: 404,
      limited: 404,
    },
  },
  presignRobotCheckArtifacts: {
    body: { files: [{ name: 'robot_card.json', size: 2 }] },
    scopes: { read: 403, write: 409 },
    replay: {
      given: async (team) => ({
        path: `${await claimed(team)}/artifacts`,
        body: { files: [{ name: 'robot_card.json', size: 2 }] },
      }),
      gone: 'It is for a check that the caller holds still.',
      left: 404,
      limited: 404,
    },
  },
  reportRobotCheck: {
    body: { log_chunk: 'one\n' },
    scopes: { read: 403, write: 409 },
    replay: {
      given: async (team) => ({ path: `${await claimed(team)}/report`, body: { log_chunk: 'one\n' } }),
      gone: 'It reports.',
      left: 404,
      limited: 404,
    },
  },
  publishRobotCheck: {
    body: {},
    scopes: { read: 403, write: 409 },
    replay: {
      given: async (team) => ({ path: `${await ended(team)}/publish`, body: {} }),
      gone: {
        given: publishing,
        remove: (team, _made, { body }) => team.remove(`/v1/repos/${body.repo}`, team.member),
      },
      left: 404,
      limited: 404,
    },
  },
  cancelRobotCheck: {
    scopes: { read: 403, write: 202 },
    replay: {
      given: async (team) => ({ path: `${await queued(team)}/cancel`, body: {} }),
      gone: 'It ends what its path names.',
      left: 404,
      limited: 404,
    },
  },
})

export const secrets = defineSecrets(async ({ openRobot, post }) => {
  const { id: check } = await post('/v1/robot-checks', asked(openRobot))
  return { ids: { check }, beginnings: ['robotChecks(first: 4)', `robotCheckLog(checkId: "${check}", first: 4)`] }
})
