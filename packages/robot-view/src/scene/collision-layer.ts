/** The shapes that MuJoCo collides, as a layer of their own over the robot. */
import type { Group } from 'three'
import type { Finish } from './finish.ts'
import { overlaid } from './overlaid.ts'
import type { RobotGroup } from './robot-group.ts'
import type { LayeredScene } from './scene.ts'

/** Stands where `visual` stands. The ground is left out: it would hide the rest. */
export function collisionLayer(scene: LayeredScene, visual: Group, finish: Finish): RobotGroup {
  const geoms = scene.collision.filter(({ shape }) => shape !== 'plane' && shape !== 'hfield')
  return overlaid(scene, geoms, visual, finish)
}
