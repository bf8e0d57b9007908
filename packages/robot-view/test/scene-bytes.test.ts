/** A scene crosses processes as bytes; normals are made where it is drawn. */

import { describe, expect, it } from 'vitest'
import { creasedNormals } from '../src/scene/creased-normals.ts'
import { decodeScene, encodeScene } from '../src/scene/scene-bytes.ts'
import { corner, geom, scene } from './support/scenes.ts'

describe('a scene as bytes', () => {
  const whole = scene([geom(), geom({ shape: 'mesh', mesh: 1 })], [corner, corner])

  it('is read back as it was', () => {
    expect(decodeScene(encodeScene(whole))).toEqual(whole)
  })

  it('is read from any place in a buffer', () => {
    const bytes = encodeScene(whole)
    const shifted = new Uint8Array(bytes.length + 3)
    shifted.set(bytes, 3)
    expect(decodeScene(shifted.subarray(3))).toEqual(whole)
  })

  it('is refused where it is cut', () => {
    const bytes = encodeScene(whole)
    expect(() => decodeScene(bytes.slice(0, -4))).toThrow(RangeError)
    expect(() => decodeScene(bytes.slice(0, 20))).toThrow(RangeError)
  })
})

describe('normals', () => {
  const normalsAt = ({ positions, normals }: ReturnType<typeof creasedNormals>, point: readonly number[]) =>
    [...Array(positions.length / 3).keys()]
      .filter((at) => point.every((value, axis) => positions[3 * at + axis] === value))
      .map((at) => [0, 1, 2].map((axis) => Number(normals[3 * at + axis]?.toFixed(3)) + 0))

  it('are three at the corner of a cube, one for each side', () => {
    const surface = creasedNormals(corner.positions, corner.triangles)
    expect(normalsAt(surface, [0, 0, 0]).sort()).toEqual([
      [-1, 0, 0],
      [0, -1, 0],
      [0, 0, -1],
    ])
    expect(surface.triangles).toHaveLength(9)
  })

  it('are one where facets bend a little, also where a file repeats the vertices of each facet', () => {
    const roof = [0, 0, 0, 0, 1, 0, -1, 0, -0.1, 0, 0, 0, 1, 0, -0.1, 0, 1, 0]
    const surface = creasedNormals(Float32Array.from(roof), Uint32Array.from([0, 1, 2, 3, 4, 5]))
    expect(normalsAt(surface, [0, 0, 0])).toEqual([[0, 0, 1]])
  })

  it('are numbers, also of facets without an area', () => {
    const surface = creasedNormals(Float32Array.from([0, 0, 0, 1, 1, 1]), Uint32Array.from([0, 1, 1]))
    expect([...surface.normals].every(Number.isFinite)).toBe(true)
  })
})
