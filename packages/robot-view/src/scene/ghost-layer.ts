/** The robot a second time, seen through: where an action would have it, or where another episode has it. */
import type { Group } from 'three'
import type { Finish } from './finish.ts'
import { overlaid } from './overlaid.ts'
import type { RobotGroup } from './robot-group.ts'
import type { RobotScene } from './scene.ts'

/** Stands where `visual` stands. What belongs to the world does not move, so it is not drawn again. */
export function ghostLayer(scene: RobotScene, visual: Group, finish: Finish): RobotGroup {
  const geoms = scene.geoms.filter(({ body }) => body !== 0)
  return overlaid(scene, geoms, visual, finish)
}
