import { defineCases } from '../support/define-cases.ts'

/** The repos of the table are datasets: who sees one learns that it has no card by its kind. */
const ofRobot = (status: number) => (status === 200 ? 409 : status)

export const cases = defineCases({
  getRobotCard: {
    access: ({ read }) => ofRobot(read),
    costs: [
      {
        given: async ({ hub, ada }) => {
          const robot = await hub.repo(ada, { kind: 'robot' })
          await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, { dof: 0 })
          return [`/v1/robots/${robot}/card`]
        },
        statements: 2,
      },
    ],
  },
  putRobotCard: { body: { dof: 0, actuators: [] } },
  validateRobotCard: {
    body: { card: { dof: 1 } },
    // One needs a credential, but no more than to read.
    access: ({ read, write }) => (write === 401 ? 401 : ofRobot(read)),
    replay: {
      given: async (team) => ({ path: `/v1/robots/${await team.repo('robot')}/validate`, body: { card: { dof: 1 } } }),
      gone: 'It makes nothing, and is computed again.',
      left: 404,
      limited: 404,
      lowered: 200,
    },
  },
})
