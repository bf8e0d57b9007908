/** A plane without an end: around each camera, with what lies on it in its place. */
import { type Camera, type Mesh, PerspectiveCamera, Vector3 } from 'three'
import { describe, expect, it } from 'vitest'
import { plain } from '../src/scene/finish.ts'
import { robotGroup } from '../src/scene/robot-group.ts'
import type { SceneGeom } from '../src/scene/scene.ts'
import { geom, scene } from './support/scenes.ts'

const pixels = new Uint8Array(6 * 4)
const texture = (isCube: boolean) => ({ width: 1, height: 1, isCube, isSrgb: false, pixels })

/** As a picture of three.js is drawn from a place of the world: the plane, and its numbers of before. */
function drawnFrom(at: readonly [number, number, number], said: Partial<SceneGeom>, isCube = false) {
  const half = Math.SQRT1_2
  const turned = { position: [3, -2, 0.5], quaternion: [0, 0, half, half] } as const
  const plane = geom({ shape: 'plane', size: [0, 0, 0.1], body: 0, ...turned, ...said })
  const { root } = robotGroup({ ...scene([plane]), textures: [texture(isCube)] }, [plane], plain)
  const mesh = root.children[0]?.children[0] as Mesh
  const camera = new PerspectiveCamera()
  camera.position.set(...at)
  camera.updateMatrixWorld()
  root.updateMatrixWorld(true)
  const before = mesh.matrixWorld.clone()
  const draw = (by: Camera) =>
    mesh.onBeforeRender(...([{}, {}, by, mesh.geometry, {}, null] as unknown as Parameters<Mesh['onBeforeRender']>))
  draw(camera)
  return { mesh, before, draw, camera, root }
}

const wrap = { texture: 0, repeat: [0.7, 1.3], uniform: false } as const
const rows = [
  ['a picture', { wrap }],
  ['no picture', {}],
  ['a picture that is larger than its reach', { wrap: { texture: 0, repeat: [0.004, 0.003], uniform: true } }],
] as const

describe.each(rows)('an endless plane with %s', (_what, said) => {
  it.each([
    [0, 0, 1],
    [61, -7, 2],
    [-8000.3, 12_345.6, 1],
  ] as const)('reaches 50 m around a camera at %f, %f, %f, and its picture stays', (...at) => {
    const { mesh, before } = drawnFrom(at, said)
    const toPlane = mesh.matrixWorld.clone().invert()
    const { max } = bounds(mesh)
    const map = (mesh.material as unknown as { map: { repeat: { x: number; y: number } } | null }).map
    for (const [x, y] of [
      [50, 50],
      [-50, 50],
      [49, -50],
      [0, 0],
    ] as const) {
      const point = new Vector3(at[0] + x, at[1] + y, 0.5)
      const own = point.clone().applyMatrix4(toPlane)
      const first = point.clone().applyMatrix4(before.clone().invert())
      expect([Math.abs(own.x) <= max.x + 1e-6, Math.abs(own.y) <= max.y + 1e-6, Math.abs(own.z) < 1e-9]).toEqual([
        true,
        true,
        true,
      ])
      for (const [moved, repeat] of [
        [(first.x - own.x) / 2, map?.repeat.x ?? 1],
        [(first.y - own.y) / 2, map?.repeat.y ?? 1],
      ] as const)
        expect(moved * repeat).toBeCloseTo(Math.round(moved * repeat), 6)
    }
  })
})

it('follows each of two cameras, and stands still where it is seen again', () => {
  const { mesh, before, draw, camera, root } = drawnFrom([61, -7, 2], {})
  const there = mesh.matrixWorld.clone()
  draw(camera)
  expect(mesh.matrixWorld.equals(there)).toBe(true)
  root.updateMatrixWorld(true)
  expect(mesh.matrixWorld.equals(before)).toBe(true)
  expect(mesh.frustumCulled).toBe(false)
})

it('moves along the side that has no end alone, and not where it has ends or a cube around it', () => {
  const far = [400, 900, 1] as const
  const along = drawnFrom(far, { size: [4, 0, 0.1] })
  const moved = new Vector3().applyMatrix4(along.mesh.matrixWorld).applyMatrix4(along.before.clone().invert())
  expect([Math.abs(moved.x) < 1e-9, Math.abs(moved.y) > 300]).toEqual([true, true])
  for (const { mesh, before } of [drawnFrom(far, { size: [4, 4, 0.1] }), drawnFrom(far, { wrap }, true)])
    expect(mesh.matrixWorld.equals(before)).toBe(true)
})

function bounds(mesh: Mesh) {
  mesh.geometry.computeBoundingBox()
  const { boundingBox } = mesh.geometry
  if (!boundingBox) throw new Error('A plane has bounds.')
  return boundingBox
}
