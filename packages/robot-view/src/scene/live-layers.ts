/** What can be shown of a robot, layer by layer, in the studio of the stills and over a grid. */
import { GridHelper, type Group, type Texture } from 'three'
import { collisionLayer } from './collision-layer.ts'
import { coat, veil } from './finish.ts'
import { ghostLayer } from './ghost-layer.ts'
import { contactLayer, frameLayer, inertiaLayer } from './overlays.ts'
import { placeBodies, type RobotGroup } from './robot-group.ts'
import type { LayeredScene, SceneGeom } from './scene.ts'
import { studio } from './studio.ts'

/**
 * What can be shown: shapes that are seen, shapes that collide, the frame of each body, the boxes of their inertia, and
 * where they touch.
 */
export const layerNames = ['visual', 'collision', 'frames', 'inertia', 'contacts'] as const
export type Layer = (typeof layerNames)[number]

/** Width by height of the picture that the first view is framed for. */
export const FRAMED = 4 / 3

/** Of the floor's grid: half a size of the robot to each line. */
const GRID = { size: 6, divisions: 12 } as const

export interface LiveLayers {
  readonly place: ReturnType<typeof studio>
  readonly groups: Readonly<Record<Layer, Group>>
  /** The robot as seen, and as it collides: what can be pointed at. */
  readonly solid: readonly RobotGroup[]
  readonly collision: RobotGroup
  /**
   * Seven numbers of each body in the frame of the world: position, then w, x, y, z of its quaternion; six of each
   * contact, its place and normal.
   */
  pose(frames: ArrayLike<number>, contacts: ArrayLike<number>): void
  /** Draws the robot a second time, at other places of its bodies. False where there was and is nothing to draw. */
  ghost(frames: ArrayLike<number> | null): boolean
  /** Contacts are placed only while they are shown. */
  show(layer: Layer, isShown: boolean): void
  /** Keeps the grid below a place of the ground; its lines stay where they are. */
  gridBelow(x: number, y: number): void
}

/**
 * The layers of a model. `boxes`: of the inertia of each body. `reflected`: what glossy surfaces reflect, null for dull
 * ones.
 */
export function liveLayers(
  scene: LayeredScene,
  reflected: Texture | null,
  boxes: Parameters<typeof inertiaLayer>[1],
): LiveLayers {
  // Endless planes are what the floor stands for.
  const isSeen = ({ shape, size }: SceneGeom) => shape !== 'plane' || size[0] * size[1] > 0
  const place = studio(scene, reflected, FRAMED, isSeen)
  const { root } = place.robot
  const collision = collisionLayer(scene, root, coat(reflected !== null))
  const contacts = contactLayer(place.robot)
  const [frames, inertia] = [frameLayer(place.robot), inertiaLayer(place.robot, boxes)]
  const solid: readonly RobotGroup[] = [place.robot, collision]
  const posed: readonly RobotGroup[] = [...solid, frames, inertia]
  const groups: Readonly<Record<Layer, Group>> = {
    visual: root,
    collision: collision.root,
    frames: frames.root,
    inertia: inertia.root,
    contacts: contacts.root,
  }
  place.scene.add(...Object.values(groups))
  const grid = floorGrid(place.floor.position.z)
  place.scene.add(grid)
  const cell = GRID.size / GRID.divisions
  let touches: ArrayLike<number> = []
  let second: RobotGroup | null = null

  return {
    place,
    groups,
    solid,
    collision,
    pose(places, touching) {
      touches = touching
      if (contacts.root.visible) contacts.put(touching)
      for (const group of posed) placeBodies(group, places)
    },
    ghost(places) {
      if (places === null) {
        if (!second?.root.visible) return false
        second.root.visible = false
        return true
      }
      if (second === null) {
        second = ghostLayer(scene, root, veil(reflected !== null))
        place.scene.add(second.root)
      }
      second.root.visible = true
      placeBodies(second, places)
      return true
    },
    show(layer, isShown) {
      groups[layer].visible = isShown
      if (layer === 'contacts' && isShown) contacts.put(touches)
    },
    gridBelow(x, y) {
      grid.position.x = cell * Math.round(x / cell)
      grid.position.y = cell * Math.round(y / cell)
    },
  }
}

function floorGrid(z: number): GridHelper {
  const grid = new GridHelper(GRID.size, GRID.divisions, 0x8a929c, 0x8a929c).rotateX(Math.PI / 2)
  grid.position.z = z
  for (const material of [grid.material].flat())
    Object.assign(material, { transparent: true, opacity: 0.25, depthWrite: false })
  return grid
}
