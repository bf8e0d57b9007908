/** A published result as the viewer runs it again: the versions, the task, the disturbance and the map that it had. */
import type { JointMap } from '@hub/embodiment/joint-map'
import { calm } from '@hub/rollout/loop/calm'
import type { Disturbance } from '@hub/rollout/loop/disturbance'
import type { ChosenCameras } from '@hub/rollout/loop/eyes'
import type { Client } from '@urql/core'
import type { RobotRepo } from '../../../episodes/replay/robot-stage.ts'
import { messageOf } from '../../../ui/problem.ts'
import type { DriveRequest } from '../../../viewer/drive/drive-protocol.ts'
import { policiesOf } from '../policy-of.ts'
import { labelOf, namedResult } from './result-name.ts'
import { type RobotName, robotAt } from './robot-at.ts'
import { type RolloutToReplayQuery, rolloutToReplayQuery } from './rollouts.graphql.ts'

export interface ReplayedResult {
  /** Such as `ada/walker@1234567`. */
  readonly label: string
  readonly task: string
  readonly robot: RobotRepo
  /** Its model file. */
  readonly entry: string
  readonly request: Omit<DriveRequest, 'seed'>
}

/** Rejects in words for people. `name`: of `resultName`. */
export async function replayedResult(client: Client, on: RobotName, name: string): Promise<ReplayedResult> {
  const robotName = `${on.owner}/${on.repo}`
  const { result, maps } = await resultOf(client, { ...namedResult(name), robot: robotName })
  if (result.robot !== robotName) throw new Error(`${name} is of another robot, ${result.robot}.`)
  const [{ card, robot, entry }, { policy }] = await Promise.all([
    robotAt(client, on, result.robotCommit),
    policiesOf(client, robotName, result.modelCommit)(`${result.model}:${result.policyPath}`),
  ])
  if (!card?.face) throw new Error(`The card of ${robotName} declares no interface: a policy cannot drive it here.`)
  const { task, disturbance } = result.conditions as { readonly task: unknown; readonly disturbance: object }
  return {
    label: labelOf(result),
    task: result.task,
    robot,
    entry,
    request: {
      policy: { ...policy, task },
      face: card.face,
      map: mapOf(result.mapFingerprint, maps),
      cameras: (result.cameras as ChosenCameras | null) ?? {},
      disturbance: { ...calm, ...(disturbance as Partial<Disturbance>) },
    },
  }
}

async function resultOf(client: Client, variables: RobotName & { readonly id: string; readonly robot: string }) {
  const { data, error } = await client.query(rolloutToReplayQuery, variables).toPromise()
  if (error) throw new Error(messageOf(error))
  const result = data?.repo?.rollout
  if (!data?.repo || !result) throw new Error(`The result ${variables.id} is not there, or you do not see it.`)
  return { result, maps: data.repo.jointMaps.nodes }
}

type Maps = NonNullable<RolloutToReplayQuery['repo']>['jointMaps']['nodes']

function mapOf(fingerprint: string | null, maps: Maps): JointMap | null {
  if (fingerprint === null) return null
  const found = maps.find((one) => one.fingerprint === fingerprint)
  if (!found) throw new Error('The map of joints that this result was made with is not kept any more.')
  return found.map as JointMap
}
