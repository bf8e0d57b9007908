import { defineCases, defineSecrets, type Reader } from '../support/define-cases.ts'
import { outcomes, rolloutsOf, task } from './support.ts'

/** A model with two results on one robot, and the board of that. */
const published = async ({ hub, ada }: Reader) => {
  const { model, robot, publish } = rolloutsOf(hub)
  const [from, on] = [await model(ada), await robot(ada)]
  const other = await publish(ada, from, on)
  const { json } = await publish(ada, from, on, { outcomes: outcomes(3) })
  const repos = { model: `/v1/repos/${from.repo}`, robot: `/v1/repos/${on.repo}` }
  return { ...repos, id: json.id, other: other.json.id, board: json.fingerprint }
}

const zeros = '0'.repeat(64)

export const cases = defineCases({
  listRollouts: {
    costs: [
      {
        given: async (reader) => {
          const { model } = await published(reader)
          return [1, 2].map((limit) => `${model}/rollouts?limit=${limit}`)
        },
        statements: 4,
      },
      {
        given: async (reader) => {
          const { model } = await published(reader)
          return [1, 2].map((limit) => `${model}/rollouts?version=1&limit=${limit}`)
        },
        statements: 6,
      },
    ],
  },
  listRolloutOutcomes: {
    ids: { rollout_id: 'roll_00000000000000000000000000' },
    access: () => 404,
    costs: [
      {
        given: async (reader) => {
          const { model, id } = await published(reader)
          return [1, 3].map((limit) => `${model}/rollouts/${id}/outcomes?limit=${limit}`)
        },
        statements: 4,
      },
    ],
  },
  getRolloutEpisodes: {
    ids: { rollout_id: 'roll_00000000000000000000000000' },
    access: () => 404,
    costs: [
      {
        given: async (reader) => {
          const { model, id } = await published(reader)
          return [`${model}/rollouts/${id}/episodes`]
        },
        statements: 4,
      },
    ],
  },
  listRolloutDifferences: {
    ids: { rollout_id: 'roll_00000000000000000000000000' },
    query: '?other=roll_00000000000000000000000000',
    access: () => 404,
    costs: [
      {
        given: async (reader) => {
          const { model, id, other } = await published(reader)
          return [1, 3].map((limit) => `${model}/rollouts/${id}/differences?other=${other}&limit=${limit}`)
        },
        statements: 5,
      },
    ],
  },
  listRolloutBoards: {
    costs: [
      {
        given: async (reader) => {
          const { robot } = await published(reader)
          return [1, 2].map((limit) => `${robot}/rollout-boards?limit=${limit}`)
        },
        statements: 3,
      },
    ],
  },
  getRolloutBoard: {
    ids: { fingerprint: zeros },
    costs: [
      {
        given: async (reader) => {
          const { robot, board } = await published(reader)
          return [1, 2].map((limit) => `${robot}/rollout-boards/${board}?limit=${limit}`)
        },
        statements: 4,
      },
    ],
  },
  getRolloutGates: {
    costs: [
      {
        given: async (reader) => {
          const { model, robot, board } = await published(reader)
          const gate = { robot: robot.slice('/v1/repos/'.length), fingerprint: board, least: 0.5, seeds: 3 }
          await reader.hub.call(reader.ada, 'PUT', `${model}/rollout-gates`, gate)
          return [`${model}/rollout-gates`, `${robot}/rollout-gates`]
        },
        statements: 3,
      },
    ],
  },
  putRolloutGate: {
    body: ({ robot }) => ({ robot, fingerprint: zeros, least: 0.5, seeds: 3 }),
    // The table's repo is not a model.
    access: ({ write }) => (write === 200 ? 409 : write),
  },
  publishRollouts: {
    body: ({ robot }) => ({
      ...{ version: '0', policy: 'policy.onnx', robot, robot_version: '0', task, disturbance: {}, software: {} },
      outcomes: outcomes(1),
    }),
    // The table's repo is not a model.
    access: ({ write }) => (write === 200 ? 409 : write),
  },
})

export const secrets = defineSecrets(async ({ hub, ada, openModel, word, post }) => {
  const { robot, versionOf } = rolloutsOf(hub)
  const on = await robot(ada, { visibility: 'private' })
  await hub.upload(ada, openModel, { 'policy.onnx': 'weights of a public model' })
  const body = {
    ...{ version: await versionOf(ada, openModel), policy: 'policy.onnx', robot: on.repo, robot_version: on.version },
    ...{ task: { ...task, name: word('task of a private robot') }, disturbance: {}, software: {} },
    outcomes: outcomes(2),
  }
  const made = await hub.call(ada, 'PUT', `/v1/repos/${openModel}/rollouts`, body)
  if (made.status !== 200) throw new Error(`It was not published: ${JSON.stringify(made.json)}`)
  await post(`/v1/repos/${openModel}/snapshots`, { name: 'with-results' })
  return { ids: { 'result on a private robot': made.json.id } }
})
