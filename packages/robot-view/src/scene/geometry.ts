/** The surface of each kind of shape, in the frame of its geom: its z axis is the axis of a capsule or cylinder. */
import { BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, PlaneGeometry, SphereGeometry } from 'three'
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js'
import { creasedNormals } from './creased-normals.ts'
import { planeHalves } from './endless-plane.ts'
import { placePoints, placesBelow } from './picture-places.ts'
import type { RobotScene, SceneGeom, SceneMesh } from './scene.ts'

/** Around a round shape, and along the half circle of a cap. */
const AROUND = 48
const ALONG = 24

type Parts = Pick<RobotScene, 'meshes' | 'textures'>

/** Null for a mesh that is not there. Its points have places in a picture where the scene has one for them. */
export function geometryOf(geom: SceneGeom, { meshes, textures }: Parts): BufferGeometry | null {
  if (geom.shape === 'mesh' || geom.shape === 'hfield') {
    const found = geom.mesh === null ? undefined : meshes[geom.mesh]
    return found ? meshGeometry(found, textures.length > 0) : null
  }
  const shape = basicShape(geom)
  if (geom.wrap !== null) placePoints(shape, geom)
  return shape
}

/** Round shapes begin at the x axis, and their `uv` counts the parts of the way around and up. */
function basicShape(geom: SceneGeom): BufferGeometry {
  const { shape, size } = geom
  const [a, b, c] = size
  switch (shape) {
    case 'plane': {
      const [halfX, halfY] = planeHalves(geom)
      return new PlaneGeometry(2 * halfX, 2 * halfY)
    }
    case 'sphere':
      return ball(a)
    case 'ellipsoid':
      return ball(1).scale(a, b, c)
    case 'box':
      return new BoxGeometry(2 * a, 2 * b, 2 * c)
    case 'cylinder':
      return tube(a, b, false)
    default:
      return mergeGeometries([cap(a, 0).translate(0, 0, b), tube(a, b, true), cap(a, Math.PI / 2).translate(0, 0, -b)])
  }
}

const ball = (radius: number) => new SphereGeometry(radius, AROUND, ALONG, Math.PI).rotateX(Math.PI / 2)

/** Half of a ball. `from`: the angle from the z axis at which it begins. */
const cap = (radius: number, from: number) =>
  new SphereGeometry(radius, AROUND, ALONG / 2, Math.PI, 2 * Math.PI, from, Math.PI / 2).rotateX(Math.PI / 2)

const tube = (radius: number, half: number, isOpen: boolean) =>
  new CylinderGeometry(radius, radius, 2 * half, AROUND, 1, isOpen, Math.PI / 2).rotateX(Math.PI / 2)

/** `isPlaced`: with places in a picture. */
function meshGeometry({ positions, triangles, texcoords }: SceneMesh, isPlaced: boolean): BufferGeometry {
  const surface = creasedNormals(positions, triangles)
  const geometry = new BufferGeometry()
    .setAttribute('position', new BufferAttribute(surface.positions, 3))
    .setAttribute('normal', new BufferAttribute(surface.normals, 3))
    .setIndex(new BufferAttribute(surface.triangles, 1))
  if (!isPlaced) return geometry
  if (!texcoords) return geometry.setAttribute('uv', new BufferAttribute(placesBelow(surface.positions), 2))
  // One point may have several places, one for each triangle around it.
  return geometry.toNonIndexed().setAttribute('uv', new BufferAttribute(texcoords, 2))
}
