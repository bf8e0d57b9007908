/** Shows a model as a link says, and says which link shows it as it is now. */
import { cameraName } from '@hub/rollout/loop/eyes'
import type { RobotAddress } from './robot-address.ts'
import type { RobotViewer } from './viewer-face.ts'
import type { Ready } from './viewer-state.ts'
import { turnedFrom } from './viewpoint-text.ts'

export interface RobotLink {
  /** What of the link cannot be shown, in words; an empty text where all is shown. */
  readonly fault: string
  /** What is shown now, without the model's file and what drives it. */
  now(): Omit<RobotAddress, 'model' | 'drive'>
}

/** Call it once, as soon as the model is shown. */
export function robotLink(viewer: RobotViewer, shown: Ready, asked: RobotAddress): RobotLink {
  const start = Array.from(shown.frame.qpos)
  const home = viewer.viewpoint()
  const { cameras } = shown.model
  const nameOf = (camera: number) => cameraName(cameras, camera)
  const faults: string[] = []
  if (asked.pose?.length === start.length) viewer.replay(asked.pose, null)
  else if (asked.pose)
    faults.push(
      `The pose of this link has ${asked.pose.length} numbers and the model ${start.length}: the default pose is shown.`,
    )
  if (asked.view) viewer.viewFrom(asked.view)
  if (asked.camera !== null) {
    const camera = cameras.findIndex((_, at) => nameOf(at) === asked.camera)
    if (camera >= 0) viewer.lookThrough(camera)
    else faults.push(`The model has no camera ${JSON.stringify(asked.camera)}: the free view is shown.`)
  }
  return {
    fault: faults.join(' '),
    now() {
      const state = viewer.state()
      if (state.phase !== 'ready') return asked
      const qpos = Array.from(state.frame.qpos)
      const isMoved = qpos.some((value, at) => Math.abs(value - (start[at] ?? 0)) > 1e-9)
      const view = viewer.viewpoint()
      return {
        pose: isMoved ? qpos : null,
        camera: state.camera === null ? null : nameOf(state.camera),
        view: home && view ? turnedFrom(home, view) : asked.view,
      }
    },
  }
}
