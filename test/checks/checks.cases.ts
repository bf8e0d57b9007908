import { goodReport } from '../support/checks.ts'
import { defineCases, type Reader, type Team } from '../support/define-cases.ts'

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
      left: 404,
      limited: 404,
    },
  },
  claimRobotCheck: {
    body: { worker: 'w' },
    scopes: { read: 403, write: 200 },
    replay: {
      given: async (team) => ({ path: `${await queued(team)}/claim`, body: { worker: 'w' } }),
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
      left: 404,
      limited: 404,
    },
  },
  reportRobotCheck: {
    body: { log_chunk: 'one\n' },
    scopes: { read: 403, write: 409 },
    replay: {
      given: async (team) => ({ path: `${await claimed(team)}/report`, body: { log_chunk: 'one\n' } }),
      left: 404,
      limited: 404,
    },
  },
  publishRobotCheck: {
    body: {},
    scopes: { read: 403, write: 409 },
    replay: {
      given: async (team) => ({ path: `${await ended(team)}/publish`, body: {} }),
      left: 404,
      limited: 404,
    },
  },
  cancelRobotCheck: {
    scopes: { read: 403, write: 202 },
    replay: {
      given: async (team) => ({ path: `${await queued(team)}/cancel`, body: {} }),
      left: 404,
      limited: 404,
    },
  },
})
