/** A published result as the viewer runs it again: the versions, the task, the disturbance and the map that it had. */
import type { JointMap } from '@hub/embodiment/joint-map'
import { calm } from '@hub/rollout/loop/calm'
import type { Disturbance } from '@hub/rollout/loop/disturbance'
import type { Client } from '@urql/core'
import type { RobotRepo } from '../../../episodes/replay/robot-stage.ts'
import { messageOf } from '../../../ui/problem.ts'
import type { DriveRequest } from '../../../viewer/drive/drive-protocol.ts'
import { viewerLimits } from '../../../viewer/limits.ts'
import { modelChoices } from '../../../viewer/model-choice.ts'
import { policiesOf } from '../policy-of.ts'
import { repoFiles } from '../repo-files.ts'
import { viewedRobotQuery } from '../robot.graphql.ts'
import { viewedCard } from '../viewed-card.ts'
import { type RolloutRowFragment, type RolloutToReplayQuery, rolloutToReplayQuery } from './rollouts.graphql.ts'

/** A result in an address: its model and its id. */
export const resultName = ({ model, id }: Pick<RolloutRowFragment, 'model' | 'id'>): string => `${model}/${id}`

export interface ReplayedResult {
  /** Such as `ada/walker@1234567`. */
  readonly label: string
  readonly task: string
  readonly robot: RobotRepo
  /** Its model file. */
  readonly entry: string
  readonly request: Omit<DriveRequest, 'seed'>
}

interface Robot {
  readonly owner: string
  readonly repo: string
}

/** Rejects in words for people. `name`: of `resultName`. */
export async function replayedResult(client: Client, on: Robot, name: string): Promise<ReplayedResult> {
  const [owner = '', repo = '', id = ''] = name.split('/')
  const robot = `${on.owner}/${on.repo}`
  const [{ result, maps }, card] = await Promise.all([resultOf(client, { owner, repo, id, robot }), cardOf(client, on)])
  if (result.robot !== robot) throw new Error(`${name} is of another robot, ${result.robot}.`)
  const files = repoFiles(client, on.owner, on.repo, result.robotCommit)
  const [listed, { policy }] = await Promise.all([
    files.list('', viewerLimits.listedFiles),
    policiesOf(client, robot, result.modelCommit)(`${result.model}:${result.policyPath}`),
  ])
  const entry = modelChoices(listed?.map(([path]) => path) ?? [], card.mjcfPath)[0]
  if (listed === null || entry === undefined) throw new Error(`This version of ${robot} has no model that is shown.`)
  const { task, disturbance } = result.conditions as { readonly task: unknown; readonly disturbance: object }
  return {
    label: `${result.model}@${result.modelCommit.slice(0, 7)}`,
    task: result.task,
    robot: { name: robot, card, files: listed, sign: files.sign },
    entry,
    request: {
      policy: { ...policy, task },
      face: card.face,
      map: mapOf(result.mapFingerprint, maps),
      disturbance: { ...calm, ...(disturbance as Partial<Disturbance>) },
    },
  }
}

async function resultOf(client: Client, variables: Robot & { readonly id: string; readonly robot: string }) {
  const { data, error } = await client.query(rolloutToReplayQuery, variables).toPromise()
  if (error) throw new Error(messageOf(error))
  const result = data?.repo?.rollout
  if (!data?.repo || !result) throw new Error(`The result ${variables.id} is not there, or you do not see it.`)
  return { result, maps: data.repo.jointMaps.nodes }
}

async function cardOf(client: Client, { owner, repo }: Robot) {
  const { data, error } = await client.query(viewedRobotQuery, { owner, repo }).toPromise()
  if (error) throw new Error(messageOf(error))
  const card = viewedCard(data?.repo?.card ?? null)
  if (!card?.face) throw new Error(`The card of ${owner}/${repo} declares no interface: a policy cannot drive it here.`)
  return { ...card, face: card.face }
}

type Maps = NonNullable<RolloutToReplayQuery['repo']>['jointMaps']['nodes']

function mapOf(fingerprint: string | null, maps: Maps): JointMap | null {
  if (fingerprint === null) return null
  const found = maps.find((one) => one.fingerprint === fingerprint)
  if (!found) throw new Error('The map of joints that this result was made with is not kept any more.')
  return found.map as JointMap
}
