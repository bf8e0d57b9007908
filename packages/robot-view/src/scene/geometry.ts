/** The surface of each kind of shape, in the frame of its geom: its z axis is the axis of a capsule or cylinder. */
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  PlaneGeometry,
  SphereGeometry,
} from 'three'
import { creasedNormals } from './creased-normals.ts'
import type { RobotScene, SceneGeom, SceneMesh } from './scene.ts'

/** Around a round shape, and along the half circle of a cap. */
const AROUND = 48
const ALONG = 24

/** Half the side of a plane that has no end, in m. */
const ENDLESS = 50

/** Null for a mesh that is not there. */
export function geometryOf({ shape, size, mesh }: SceneGeom, meshes: RobotScene['meshes']): BufferGeometry | null {
  const [a, b, c] = size
  switch (shape) {
    case 'plane':
      return new PlaneGeometry(2 * (a || ENDLESS), 2 * (b || ENDLESS))
    case 'sphere':
      return new SphereGeometry(a, AROUND, ALONG)
    case 'ellipsoid':
      return new SphereGeometry(1, AROUND, ALONG).scale(a, b, c)
    case 'capsule':
      return new CapsuleGeometry(a, 2 * b, ALONG, AROUND).rotateX(Math.PI / 2)
    case 'cylinder':
      return new CylinderGeometry(a, a, 2 * b, AROUND).rotateX(Math.PI / 2)
    case 'box':
      return new BoxGeometry(2 * a, 2 * b, 2 * c)
    default: {
      const found = mesh === null ? undefined : meshes[mesh]
      return found ? meshGeometry(found) : null
    }
  }
}

function meshGeometry({ positions, triangles }: SceneMesh): BufferGeometry {
  const surface = creasedNormals(positions, triangles)
  return new BufferGeometry()
    .setAttribute('position', new BufferAttribute(surface.positions, 3))
    .setAttribute('normal', new BufferAttribute(surface.normals, 3))
    .setIndex(new BufferAttribute(surface.triangles, 1))
}
