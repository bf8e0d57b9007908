/** A height field of a compiled model as a mesh, in the frame of its geom. */
import type { SceneMesh } from '../scene/scene.ts'
import type { Model } from './mujoco.ts'

type Numbers = ArrayLike<number>

/** The surface alone: what is below it is never seen. */
export function heightField(model: Model, at: number): SceneMesh {
  const [rows, columns] = [(model.hfield_nrow as Numbers)[at] ?? 0, (model.hfield_ncol as Numbers)[at] ?? 0]
  const start = (model.hfield_adr as Numbers)[at] ?? 0
  const size = (axis: number) => (model.hfield_size as Numbers)[4 * at + axis] ?? 0
  const heights = model.hfield_data as Numbers
  const [stepX, stepY] = [(2 * size(0)) / Math.max(1, columns - 1), (2 * size(1)) / Math.max(1, rows - 1)]
  const positions = new Float32Array(3 * rows * columns)
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const place = row * columns + column
      const height = (heights[start + place] ?? 0) * size(2)
      positions.set([column * stepX - size(0), row * stepY - size(1), height], 3 * place)
    }
  return { positions, triangles: grid(rows, columns), texcoords: null }
}

function grid(rows: number, columns: number): Uint32Array<ArrayBuffer> {
  const triangles = new Uint32Array(6 * Math.max(0, rows - 1) * Math.max(0, columns - 1))
  let at = 0
  for (let row = 0; row + 1 < rows; row += 1)
    for (let column = 0; column + 1 < columns; column += 1) {
      const [a, c] = [row * columns + column, (row + 1) * columns + column]
      triangles.set([a, a + 1, c + 1, a, c + 1, c], at)
      at += 6
    }
  return triangles
}
