/**
 * Normals that are smooth over a curve and sharp at an edge. Files of meshes mostly have none, or one for each facet,
 * and MuJoCo rounds every edge. Pure.
 */

export interface Surface {
  readonly positions: Float32Array<ArrayBuffer>
  readonly normals: Float32Array<ArrayBuffer>
  readonly triangles: Uint32Array<ArrayBuffer>
}

/** Facets that meet at more than this are an edge: a cylinder of twelve sides is still round. */
const CREASE = Math.cos((32 * Math.PI) / 180)

/** The same triangles. A vertex with several normals becomes several vertices. */
export function creasedNormals(positions: Float32Array<ArrayBuffer>, triangles: Uint32Array<ArrayBuffer>): Surface {
  const facets = facetNormals(positions, triangles)
  const around = cornersByPoint(positions, triangles)
  const vertices: number[] = []
  const normals: number[] = []
  const split = new Uint32Array(triangles.length)
  const normal = new Float32Array(3)
  for (let point = 0; point < around.points; point += 1) {
    const first = vertices.length
    const [start, end] = [around.starts[point] ?? 0, around.starts[point + 1] ?? 0]
    for (let at = start; at < end; at += 1) {
      const corner = around.corners[at] ?? 0
      addUp(normal, facets, corner, around.corners.subarray(start, end))
      let place = first
      while (place < vertices.length && !isSame(normals, place, normal)) place += 1
      if (place === vertices.length) {
        vertices.push(triangles[corner] ?? 0)
        normals.push(normal[0] ?? 0, normal[1] ?? 0, normal[2] ?? 0)
      }
      split[corner] = place
    }
  }
  return { positions: picked(positions, vertices), normals: Float32Array.from(normals), triangles: split }
}

/** Of each triangle, unit normal and area: four numbers. */
function facetNormals(positions: Float32Array, triangles: Uint32Array): Float32Array {
  const facets = new Float32Array((4 * triangles.length) / 3)
  const at = (corner: number, axis: number) => positions[3 * (triangles[corner] ?? 0) + axis] ?? 0
  for (let corner = 0; corner < triangles.length; corner += 3) {
    const [ax, ay, az] = [at(corner, 0), at(corner, 1), at(corner, 2)]
    const [bx, by, bz] = [at(corner + 1, 0) - ax, at(corner + 1, 1) - ay, at(corner + 1, 2) - az]
    const [cx, cy, cz] = [at(corner + 2, 0) - ax, at(corner + 2, 1) - ay, at(corner + 2, 2) - az]
    const [x, y, z] = [by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx]
    const length = Math.hypot(x, y, z)
    if (length > 0) facets.set([x / length, y / length, z / length, length], (4 * corner) / 3)
  }
  return facets
}

interface CornersByPoint {
  readonly points: number
  /** Of each point the place of its first corner in `corners`, and one end. */
  readonly starts: Uint32Array
  readonly corners: Uint32Array
}

/** Vertices at one place are one point: many files repeat them for each facet. */
function cornersByPoint(positions: Float32Array, triangles: Uint32Array): CornersByPoint {
  const { pointOf, points } = welded(positions)
  const starts = new Uint32Array(points + 1)
  for (const vertex of triangles) {
    const next = (pointOf[vertex] ?? 0) + 1
    starts[next] = (starts[next] ?? 0) + 1
  }
  for (let point = 0; point < points; point += 1) starts[point + 1] = (starts[point + 1] ?? 0) + (starts[point] ?? 0)
  const next = starts.slice()
  const corners = new Uint32Array(triangles.length)
  triangles.forEach((vertex, corner) => {
    const point = pointOf[vertex] ?? 0
    const place = next[point] ?? 0
    corners[place] = corner
    next[point] = place + 1
  })
  return { points, starts, corners }
}

/** An open hash table of places, since a million keys of text would take seconds. */
function welded(positions: Float32Array<ArrayBufferLike>): { readonly pointOf: Uint32Array; readonly points: number } {
  const count = positions.length / 3
  const mask = 2 ** Math.ceil(Math.log2(Math.max(4, 2 * count))) - 1
  const table = new Int32Array(mask + 1).fill(-1)
  // Adding 0 makes one zero of both.
  const exact = positions.map((value) => value + 0)
  const bits = new Int32Array(exact.buffer)
  const pointOf = new Uint32Array(count)
  let points = 0
  for (let vertex = 0; vertex < count; vertex += 1) {
    const [x, y, z] = [bits[3 * vertex] ?? 0, bits[3 * vertex + 1] ?? 0, bits[3 * vertex + 2] ?? 0]
    let slot = hash(x, y, z) & mask
    let found = table[slot] ?? -1
    while (found !== -1 && !(bits[3 * found] === x && bits[3 * found + 1] === y && bits[3 * found + 2] === z)) {
      slot = (slot + 1) & mask
      found = table[slot] ?? -1
    }
    if (found === -1) {
      table[slot] = vertex
      pointOf[vertex] = points
      points += 1
    } else pointOf[vertex] = pointOf[found] ?? 0
  }
  return { pointOf, points }
}

function hash(x: number, y: number, z: number): number {
  let mixed = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  return mixed ^ (mixed >>> 13)
}

/** A fan of very many facets needs no more of them for its normal. */
const MAX_FACETS = 64

function addUp(normal: Float32Array, facets: Float32Array, corner: number, corners: Uint32Array): void {
  const own = 4 * Math.floor(corner / 3)
  const [x, y, z] = [facets[own] ?? 0, facets[own + 1] ?? 0, facets[own + 2] ?? 0]
  normal.fill(0)
  for (const other of corners.length > MAX_FACETS ? [corner] : corners) {
    const at = 4 * Math.floor(other / 3)
    const [ox, oy, oz, area] = [facets[at] ?? 0, facets[at + 1] ?? 0, facets[at + 2] ?? 0, facets[at + 3] ?? 0]
    if (x * ox + y * oy + z * oz < CREASE) continue
    normal[0] = (normal[0] ?? 0) + ox * area
    normal[1] = (normal[1] ?? 0) + oy * area
    normal[2] = (normal[2] ?? 0) + oz * area
  }
  const length = Math.hypot(normal[0] ?? 0, normal[1] ?? 0, normal[2] ?? 0)
  if (length > 0) for (const axis of [0, 1, 2]) normal[axis] = (normal[axis] ?? 0) / length
}

const isSame = (normals: readonly number[], at: number, normal: Float32Array) =>
  normals[3 * at] === normal[0] && normals[3 * at + 1] === normal[1] && normals[3 * at + 2] === normal[2]

function picked(positions: Float32Array, vertices: readonly number[]): Float32Array<ArrayBuffer> {
  const all = new Float32Array(3 * vertices.length)
  vertices.forEach((vertex, at) => {
    all.set(positions.subarray(3 * vertex, 3 * vertex + 3), 3 * at)
  })
  return all
}
