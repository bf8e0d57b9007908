/** The shapes that MuJoCo collides, as a layer of their own over the robot. */
import type { Group } from 'three'
import type { Finish } from './finish.ts'
import { type RobotGroup, robotGroup } from './robot-group.ts'
import type { LayeredScene } from './scene.ts'

/** Stands where `visual` stands. The ground is left out: it would hide the rest. */
export function collisionLayer(scene: LayeredScene, visual: Group, finish: Finish): RobotGroup {
  const layer = robotGroup(
    scene,
    scene.collision.filter(({ shape }) => shape !== 'plane' && shape !== 'hfield'),
    finish,
  )
  layer.root.position.copy(visual.position)
  layer.root.scale.copy(visual.scale)
  layer.root.traverse((object) => {
    object.castShadow = false
    object.receiveShadow = false
  })
  return layer
}
