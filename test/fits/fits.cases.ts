import { defineCases, type Reader } from '../support/define-cases.ts'

const map = { version: 1, joints: [{ from: 'a', to: 'b', sign: 1, scale: 1, offset: 0 }], held: [], dropped: [] }

/** A data set with two versions of its map to a robot. */
const mapped = async ({ hub, ada }: Reader) => {
  const [repo, robot] = [await hub.repo(ada), await hub.repo(ada, { kind: 'robot' })]
  for (const if_version of [0, 1])
    await hub.call(ada, 'PUT', `/v1/repos/${repo}/joint-maps`, { robot, if_version, map })
  return `/v1/repos/${repo}/joint-maps`
}

export const cases = defineCases({
  listFits: {
    costs: [
      {
        given: async ({ hub, ada }: Reader) => {
          const [repo, robot] = [await hub.repo(ada, { kind: 'model' }), await hub.repo(ada, { kind: 'robot' })]
          await hub.upload(ada, repo, { 'contract.json': '{"joint_order":["a"]}' })
          return [repo, robot].map((name) => `/v1/repos/${name}/fits?limit=2`)
        },
        statements: 4,
      },
    ],
  },
  listJointMaps: {
    costs: [
      {
        given: async (reader) => {
          const path = await mapped(reader)
          return [1, 2].map((limit) => `${path}?limit=${limit}`)
        },
        statements: 4,
      },
    ],
  },
  putJointMap: { body: ({ robot }) => ({ robot, if_version: 0, map }) },
  reviewJointMap: {
    body: ({ robot }) => ({ robot, version: 1 }),
    replay: {
      given: async (team) => {
        const [repo, robot] = [await team.repo(), await team.repo('robot')]
        await team.hub.call(team.boss, 'PUT', `/v1/repos/${repo}/joint-maps`, { robot, if_version: 0, map })
        return { path: `/v1/repos/${repo}/joint-maps/review`, body: { robot, version: 1 } }
      },
      gone: 'It notes a review, which stays with its version.',
      left: 404,
      limited: 404,
    },
  },
})
