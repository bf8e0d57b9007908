/** Where a camera of the model is, as the picture needs it. Pure. */
import type { CameraFacts } from '@hub/robot-view/physics/read-cameras'
import type { Eye } from '@hub/robot-view/scene/model-camera'
import { turnOfMatrix } from './turns.ts'

/** `cameras`: of a frame. `aspect`: what the card says, which goes before the model's resolution. */
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
