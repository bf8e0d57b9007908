/** Shapes of a robot once more, over the robot itself: without a shadow of their own. */
import type { Group } from 'three'
import type { Finish } from './finish.ts'
import { type RobotGroup, robotGroup } from './robot-group.ts'
import type { RobotScene, SceneGeom } from './scene.ts'

/** Stands where `visual` stands. */
export function overlaid(scene: RobotScene, geoms: readonly SceneGeom[], visual: Group, finish: Finish): RobotGroup {
  const layer = robotGroup(scene, geoms, finish)
  layer.root.position.copy(visual.position)
  layer.root.scale.copy(visual.scale)
  layer.root.traverse((object) => {
    object.castShadow = false
    object.receiveShadow = false
  })
  return layer
}
