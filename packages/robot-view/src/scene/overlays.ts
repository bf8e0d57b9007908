/**
 * Lines over the robot: the frame of each body, the box of its inertia, and where it touches. They are seen through
 * everything, and nothing points at them.
 */
import {
  AxesHelper,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Object3D,
} from 'three'
import type { RobotGroup } from './robot-group.ts'
import type { Frame, Vector } from './scene.ts'

/** Of the size of the robot. */
const AXES = 0.09
const NORMAL = 0.07

/** Above all else. */
const LAST = 10

/** `of`: one group for each body, posed as `visual` is. */
function overEachBody(visual: RobotGroup, make: (body: number) => Object3D | null): RobotGroup {
  const root = new Group()
  root.position.copy(visual.root.position)
  root.scale.copy(visual.root.scale)
  const bodies = visual.bodies.map((shown, body) => {
    const group = new Group()
    group.position.copy(shown.position)
    group.quaternion.copy(shown.quaternion)
    const made = make(body)
    if (made) group.add(made)
    root.add(group)
    return group
  })
  return { root, bodies }
}

const throughAll = { depthTest: false, depthWrite: false, transparent: true, fog: false } as const

/** Red, green and blue are x, y and z; the first frame is the world's. */
export function frameLayer(visual: RobotGroup): RobotGroup {
  const first = new AxesHelper(AXES / visual.root.scale.x)
  Object.assign(first.material, throughAll)
  first.renderOrder = LAST
  return overEachBody(visual, (body) => (body === 0 ? first : first.clone()))
}

/** `boxes`: half lengths in the frame of each body; null for a body without mass. */
export function inertiaLayer(
  visual: RobotGroup,
  boxes: readonly ((Frame & { readonly size: Vector }) | null)[],
): RobotGroup {
  const box = new BoxGeometry(2, 2, 2)
  const edges = new EdgesGeometry(box)
  box.dispose()
  const material = new LineBasicMaterial({ color: 0xae3ec9, ...throughAll })
  return overEachBody(visual, (body) => {
    const said = boxes[body]
    if (!said) return null
    const lines = new LineSegments(edges, material)
    lines.position.set(...said.position)
    lines.quaternion.set(...said.quaternion)
    lines.scale.set(...said.size)
    lines.renderOrder = LAST
    return lines
  })
}

/** A line along the normal of each contact, in both directions. */
export function contactLayer(visual: RobotGroup) {
  const root = new Group()
  root.position.copy(visual.root.position)
  root.scale.copy(visual.root.scale)
  const lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: 0xe03131, ...throughAll }))
  lines.frustumCulled = false
  lines.renderOrder = LAST
  root.add(lines)
  const reach = NORMAL / visual.root.scale.x / 2
  return {
    root,
    /** Six numbers of each: place and direction. */
    put(contacts: ArrayLike<number>) {
      const ends = new Float32Array(contacts.length)
      for (let at = 0; at < contacts.length; at += 6)
        for (let axis = 0; axis < 3; axis += 1) {
          const [middle, along] = [contacts[at + axis] ?? 0, contacts[at + 3 + axis] ?? 0]
          ends[at + axis] = middle - reach * along
          ends[at + 3 + axis] = middle + reach * along
        }
      lines.geometry.dispose()
      lines.geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(ends, 3))
    },
  }
}
