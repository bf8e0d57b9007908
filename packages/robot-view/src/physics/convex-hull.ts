/** The convex hull that MuJoCo made of a mesh: what it collides in the mesh's place. */
import type { SceneMesh } from '../scene/scene.ts'
import type { Model } from './mujoco.ts'

type Ints = ArrayLike<number>

/**
 * Null where MuJoCo made none, since nothing collides with the mesh. `mesh_graph` holds, from the mesh's address:
 * counts of vertices and faces, an edge address and the number in the mesh of each vertex, the edges (one of each
 * vertex and three of each face), and three vertices in the numbers of the mesh of each face.
 */
export function convexHull(model: Model, mesh: number): SceneMesh | null {
  const start = (model.mesh_graphadr as Ints)[mesh] ?? -1
  if (start < 0) return null
  const graph = model.mesh_graph as Ints
  const [vertices, faces] = [graph[start] ?? 0, graph[start + 1] ?? 0]
  const numbers = start + 2 + vertices
  const corners = numbers + vertices + vertices + 3 * faces
  const from = (model.mesh_vertadr as Ints)[mesh] ?? 0
  const points = model.mesh_vert as Ints
  const positions = new Float32Array(3 * vertices)
  const places = new Map<number, number>()
  for (let at = 0; at < vertices; at += 1) {
    const vertex = graph[numbers + at] ?? 0
    places.set(vertex, at)
    for (const axis of [0, 1, 2]) positions[3 * at + axis] = points[3 * (from + vertex) + axis] ?? 0
  }
  const triangles = Uint32Array.from({ length: 3 * faces }, (_, at) => places.get(graph[corners + at] ?? 0) ?? 0)
  return { positions, triangles, texcoords: null }
}
