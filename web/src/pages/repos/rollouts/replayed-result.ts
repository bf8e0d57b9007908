/** A published result as the viewer runs it again: the versions, the task, the disturbance and the map that it had. */
import type { JointMap } from '@hub/embodiment/joint-map'
import { calm } from '@hub/rollout/loop/calm'
import type { Disturbance } from '@hub/rollout/loop/disturbance'
import type { ChosenCameras } from '@hub/rollout/loop/eyes'
import type { Client } from '@urql/core'
import type { RobotRepo } from '../../../episodes/replay/robot-stage.ts'
import { PageError } from '../../../ui/problem.ts'
import type { DriveRequest, TellBytes } from '../../../viewer/drive/drive-protocol.ts'
import { policiesOf } from '../policy-of.ts'
import { noResult, otherRobot } from './missing-result.ts'
import { labelOf, namedResult, resultName } from './result-name.ts'
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

/** Rejects in words for people. `name`: of `resultName`. `tell`: bytes of its policy. */
export async function replayedResult(
  client: Client,
  on: RobotName,
  name: string,
  tell: TellBytes,
): Promise<ReplayedResult> {
  const robotName = `${on.owner}/${on.repo}`
  const { result, maps } = await resultOf(client, { ...namedResult(name), robot: robotName })
  if (result.robot !== robotName) throw otherRobot(name, result.robot)
  const [{ card, robot, entry }, { policy }] = await Promise.all([
    robotAt(client, on, result.robotCommit),
    policyOf(client, robotName, result, tell),
  ])
  if (!card?.face)
    throw new PageError(
      'The robot has no interface',
      `The card of ${robotName} declares none: a policy would not know its joints.`,
    )
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

type Result = NonNullable<NonNullable<RolloutToReplayQuery['repo']>['rollout']>

/** The policy of that version, which may have gone with its repo. */
async function policyOf(client: Client, robot: string, { model, modelCommit, policyPath }: Result, tell: TellBytes) {
  const name = `${model}:${policyPath}`
  return policiesOf(
    client,
    robot,
    modelCommit,
  )(name, tell).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error)
    throw new PageError(`The policy ${name} cannot be loaded`, why, { cause: error })
  })
}

async function resultOf(client: Client, variables: RobotName & { readonly id: string; readonly robot: string }) {
  const { data, error } = await client.query(rolloutToReplayQuery, variables).toPromise()
  if (error) throw error
  const result = data?.repo?.rollout
  if (!data?.repo || !result)
    throw noResult(resultName({ model: `${variables.owner}/${variables.repo}`, id: variables.id }))
  return { result, maps: data.repo.jointMaps.nodes }
}

type Maps = NonNullable<RolloutToReplayQuery['repo']>['jointMaps']['nodes']

function mapOf(fingerprint: string | null, maps: Maps): JointMap | null {
  if (fingerprint === null) return null
  const found = maps.find((one) => one.fingerprint === fingerprint)
  if (!found)
    throw new PageError(
      'The map of joints is not there any more',
      'The map that this result was made with is not kept any more: how its joints moved is not known.',
    )
  return found.map as JointMap
}
