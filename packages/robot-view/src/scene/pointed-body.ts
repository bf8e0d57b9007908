/** Which body is under the pointer, and a box around one. */
import { Box3, Box3Helper, type Camera, type Group, Mesh, Raycaster, Vector2, Vector3 } from 'three'
import type { RobotGroup } from './robot-group.ts'

/** The nearest body of the shown layers at a place from -1 to 1; the world itself is none. */
export function bodyUnder(layers: readonly RobotGroup[], camera: Camera, x: number, y: number): number | null {
  const ray = new Raycaster()
  ray.setFromCamera(new Vector2(x, y), camera)
  const hits = ray.intersectObjects(
    layers.map(({ root }) => root),
    true,
  )
  const group = hits.find(({ object }) => object instanceof Mesh)?.object.parent
  if (!group) return null
  const body = Math.max(...layers.map(({ bodies }) => bodies.indexOf(group as Group)))
  return body > 0 ? body : null
}

/** One box, around the body that was last named. It is part of that body, and so moves and turns with it. */
export function outline() {
  const helper = new Box3Helper(new Box3(), 0x1c7ed6)
  return {
    around(body: Group | null) {
      helper.removeFromParent()
      if (!body) return
      helper.box.makeEmpty()
      const point = new Vector3()
      for (const part of body.children) {
        const positions = part instanceof Mesh ? part.geometry.getAttribute('position') : null
        part.updateMatrix()
        for (let at = 0; at < (positions?.count ?? 0); at += 1)
          helper.box.expandByPoint(point.fromBufferAttribute(positions, at).applyMatrix4(part.matrix))
      }
      if (!helper.box.isEmpty()) body.add(helper)
    },
  }
}
