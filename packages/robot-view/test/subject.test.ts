/** What of a scene is the robot, and how it is framed. */

import { describe, expect, it } from 'vitest'
import { framed, type Lens } from '../src/scene/framing.ts'
import type { Vector } from '../src/scene/scene.ts'
import { eachPoint, subjectOf } from '../src/scene/subject.ts'
import { corner, geom, scene } from './support/scenes.ts'

const floor = (height: number) => geom({ body: 0, shape: 'plane', size: [0, 0, 1], position: [0, 0, height] })
const ofWorld = (size: Vector, position: Vector = [0, 0, 0]) => geom({ body: 0, size, position })
const sizesOf = (geoms: Parameters<typeof scene>[0]) => subjectOf(scene(geoms)).geoms.map(({ size }) => size[0])

describe('the subject of a picture', () => {
  it('is what bodies look like, without the ground', () => {
    const { geoms, box } = subjectOf(scene([floor(0), geom()]))
    expect(geoms).toEqual([geom()])
    expect(box).toEqual({ min: [-0.5, -0.5, 0.5], max: [0.5, 0.5, 1.5] })
  })

  it('has what is fixed to the world where that is no larger than the robot, and near', () => {
    expect(sizesOf([geom(), ofWorld([0.4, 0.4, 0.4])])).toEqual([0.5, 0.4])
    expect(sizesOf([geom(), ofWorld([9, 9, 0.1])])).toEqual([0.5])
    expect(sizesOf([geom(), ofWorld([0.4, 0.4, 0.4], [30, 0, 0])])).toEqual([0.5])
  })

  it('is what is fixed to the world where nothing else is there', () => {
    expect(sizesOf([ofWorld([9, 9, 0.1])])).toEqual([9])
  })

  it('stands on the level plane below its feet, else on the lowest of its points', () => {
    const floorOf = (...planes: ReturnType<typeof floor>[]) => subjectOf(scene([...planes, geom()])).floor
    expect(floorOf(floor(0.2), floor(-7))).toBe(0.2)
    expect(floorOf(floor(-7))).toBe(0.5)
    const wall = { ...floor(0.4), quaternion: [0, Math.SQRT1_2, 0, Math.SQRT1_2] } as const
    expect(floorOf(wall)).toBe(0.5)
  })

  it.each([
    ['sphere', [0.1, 0, 0], [0.1, 0.1, 0.1]],
    ['capsule', [0.1, 0.5, 0], [0.1, 0.1, 0.6]],
    ['cylinder', [0.1, 0.5, 0], [0.1, 0.1, 0.5]],
    ['ellipsoid', [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]],
  ] as const)('has the box around a %s', (shape, size, half) => {
    const { box } = subjectOf(scene([geom({ shape, size })]))
    box.max.forEach((value, axis) => {
      expect(value).toBeCloseTo((half[axis] ?? 0) + (axis === 2 ? 1 : 0))
    })
  })

  it('has the box around the vertices of a mesh, turned with its geom', () => {
    const turned = geom({ shape: 'mesh', mesh: 0, quaternion: [0, 0, 1, 0] })
    const { box } = subjectOf(scene([turned], [corner]))
    expect(box.min[0]).toBeCloseTo(-1)
    expect(box.max[2]).toBeCloseTo(2)
  })
})

describe('a camera', () => {
  const lens: Lens = { fieldOfView: 0.5, aspect: 4 / 3, direction: [1, -0.8, 0.55], margin: 0.1 }

  /** Where points are in the picture: -1 to 1 from side to side, and from bottom to top. */
  function seen(points: readonly Vector[]) {
    const camera = framed((each) => points.forEach(each), lens)
    const length = Math.hypot(...lens.direction)
    const back = lens.direction.map((part) => part / length)
    const flat = Math.hypot(back[0] ?? 0, back[1] ?? 0)
    const right = [-(back[1] ?? 0) / flat, (back[0] ?? 0) / flat, 0]
    const up = [0, 1, 2].map(
      (axis) =>
        (back[(axis + 1) % 3] ?? 0) * (right[(axis + 2) % 3] ?? 0) -
        (back[(axis + 2) % 3] ?? 0) * (right[(axis + 1) % 3] ?? 0),
    )
    const along = (point: Vector, axis: readonly number[]) =>
      point.reduce((sum, part, at) => sum + (part - (camera.position[at] ?? 0)) * (axis[at] ?? 0), 0)
    return points.map((point) => {
      const depth = -along(point, back)
      expect(depth).toBeGreaterThan(camera.near)
      expect(depth).toBeLessThan(camera.far)
      const tall = Math.tan(lens.fieldOfView / 2) * depth
      return { x: along(point, right) / tall / lens.aspect, y: along(point, up) / tall }
    })
  }

  const pointsOf = (size: Vector, scale = 1): Vector[] => {
    const points: Vector[] = []
    const [x, y, z] = size
    eachPoint(
      scene([geom({ size: [x * scale, y * scale, z * scale] })]),
      [geom({ size: [x * scale, y * scale, z * scale] })],
      (point) => points.push(point),
    )
    return points
  }

  it.each([
    ['wide', [3, 0.1, 0.1]],
    ['tall', [0.1, 0.1, 3]],
    ['deep', [2, -2, 0.1]],
    ['tiny', [1e-4, 2e-4, 1e-4]],
    ['huge', [400, 300, 500]],
  ] as const)('sees all of a %s robot, in the middle and as large as fits', (_, size) => {
    const places = seen(pointsOf(size))
    const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)]
    const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
    expect(left).toBeCloseTo(-right)
    expect(low).toBeCloseTo(-high)
    expect(Math.max(right, high)).toBeCloseTo(0.8)
  })

  it('has a place where there is nothing to see', () => {
    const { position } = framed(() => undefined, lens)
    expect(position.every(Number.isFinite)).toBe(true)
  })
})
