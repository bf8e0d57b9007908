/** What of a robot's card the viewers use. Pure. */
import type { ViewedCard } from '../../viewer/mount-robot-viewer.ts'
import type { ViewedRobotQuery } from './robot.graphql.ts'

export type RobotCard = NonNullable<ViewedRobotQuery['repo']>['card']

/** Null where the robot has no card. */
export function viewedCard(card: RobotCard): ViewedCard | null {
  if (!card) return null
  const face = card.interface
  return {
    mjcfPath: card.mjcfPath,
    base: face?.base ?? null,
    pose: { keyframe: face?.defaultKeyframe ?? null, joints: positionsOf(face?.defaultPose) },
    cameras: face?.cameras?.map(({ name, width, height }) => ({ name, width, height })) ?? [],
  }
}

/** The hub checks a card's pose when it is stored: joint names and numbers. */
function positionsOf(pose: unknown): Record<string, number> | null {
  if (typeof pose !== 'object' || pose === null) return null
  return Object.fromEntries(Object.entries(pose).filter(([, value]) => typeof value === 'number'))
}
