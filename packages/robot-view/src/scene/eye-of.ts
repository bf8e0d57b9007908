/** Where a camera of the model is, as a picture needs it. Pure. */
import type { Eye } from './model-camera.ts'
import type { CameraFacts, Quaternion } from './scene.ts'
import type { Sight } from './sights.ts'

/** `cameras`: of a frame (`camerasAt`). `aspect`: what the card says, which goes before the model's resolution. */
export function eyeOf(facts: CameraFacts, cameras: ArrayLike<number>, camera: number, aspect: number | null): Eye {
  const at = 12 * camera
  const [width, height] = facts.resolution ?? [0, 0]
  return {
    position: [cameras[at] ?? 0, cameras[at + 1] ?? 0, cameras[at + 2] ?? 0],
    quaternion: turnOfMatrix(cameras, at + 3),
    fieldOfView: facts.field_of_view,
    aspect: aspect ?? (height > 0 ? width / height : null),
  }
}

/** Which camera is looked through, by its place in the model, and how large its picture is, in pixels. */
export interface AskedSight {
  readonly camera: number
  readonly width: number
  readonly height: number
}

/** What is drawn for pictures that are asked for. Throws an `Error` that names a camera which is not there. */
export const sightsAt = (
  asked: readonly AskedSight[],
  facts: readonly CameraFacts[],
  cameras: ArrayLike<number>,
): readonly Sight[] =>
  asked.map(({ camera, width, height }) => {
    const found = facts[camera]
    if (!found) throw new Error(`The model has no camera ${camera}.`)
    return { ...eyeOf(found, cameras, camera, null), width, height }
  })

/** The quaternion x, y, z, w of a rotation matrix, row by row, from `at` on. */
function turnOfMatrix(m: ArrayLike<number>, at: number): Quaternion {
  const e = (row: number, column: number) => m[at + 3 * row + column] ?? 0
  const trace = e(0, 0) + e(1, 1) + e(2, 2)
  if (trace > 0) {
    const s = 2 * Math.sqrt(trace + 1)
    return [(e(2, 1) - e(1, 2)) / s, (e(0, 2) - e(2, 0)) / s, (e(1, 0) - e(0, 1)) / s, s / 4]
  }
  const i = e(0, 0) > e(1, 1) && e(0, 0) > e(2, 2) ? 0 : e(1, 1) > e(2, 2) ? 1 : 2
  const [j, k] = [(i + 1) % 3, (i + 2) % 3]
  const s = 2 * Math.sqrt(1 + e(i, i) - e(j, j) - e(k, k))
  const turn: [number, number, number, number] = [0, 0, 0, (e(k, j) - e(j, k)) / s]
  turn[i] = s / 4
  turn[j] = (e(j, i) + e(i, j)) / s
  turn[k] = (e(k, i) + e(i, k)) / s
  return turn
}
