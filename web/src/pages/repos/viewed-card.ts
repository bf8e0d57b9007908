/** What of a robot's card the viewers use. Pure. */
import type { ViewedCard } from '../../viewer/open-robot-of-repo.ts'
import { interfaceOf, numbersOf } from './interface-of.ts'
import type { ViewedRobotQuery } from './robot.graphql.ts'

export type RobotCard = NonNullable<ViewedRobotQuery['repo']>['card']

/** Null where the robot has no card. */
export function viewedCard(card: RobotCard): ViewedCard | null {
  if (!card) return null
  const face = card.interface
  return {
    mjcfPath: card.mjcfPath,
    base: face?.base ?? null,
    pose: { keyframe: face?.defaultKeyframe ?? null, joints: numbersOf(face?.defaultPose) },
    face: face ? interfaceOf(face) : null,
    cameras: face?.cameras?.map(({ name, width, height }) => ({ name, width, height })) ?? [],
  }
}
