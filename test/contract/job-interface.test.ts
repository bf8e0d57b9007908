/** Runs, checks and endpoints, read as jobs without knowing which. */
import { expect, it } from 'vitest'
import { putEndpoint } from '../support/endpoints.ts'
import { contractHub, type Json } from '../support/hub.ts'
import { putRun } from '../support/runs.ts'

const hub = contractHub()

it('a run, a check and an endpoint are jobs with an owner and a phase', async () => {
  const ada = await hub.person()
  const { db } = hub.running.deps
  const robot = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, robot, { 'arm.xml': '<mujoco/>' })
  const asked = { kind: 'robot', robot_repo: robot, entry: 'arm.xml', control_hz: 50, action: 'position' }
  const ids = [
    await putRun(db, { ownerId: ada.id, status: 'running' }),
    await putRun(db, { ownerId: ada.id, status: 'canceled' }),
    (await hub.call(ada, 'POST', '/v1/robot-checks', asked)).json.id,
    await putEndpoint(db, { ownerId: ada.id, status: 'running' }),
    await putEndpoint(db, { ownerId: ada.id, status: 'stopped' }),
  ]
  const { data, errors } = await hub.graphql(
    ada,
    `query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename ... on Job { phase owner { handle } createdBy { handle } claimedBy error costUsd hostedCallId dispatchedAt } } }`,
    { ids },
  )
  expect(errors).toBeUndefined()
  expect(data.nodes.map(({ id, __typename, phase, owner }: Json) => [id, __typename, phase, owner?.handle])).toEqual([
    [ids[0], 'Run', 'RUNNING', ada.handle],
    [ids[1], 'Run', 'ENDED', ada.handle],
    [ids[2], 'RobotCheck', 'QUEUED', ada.handle],
    [ids[3], 'Endpoint', 'RUNNING', ada.handle],
    [ids[4], 'Endpoint', 'ENDED', ada.handle],
  ])
})
