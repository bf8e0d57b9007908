/** How a robot is looked at, as the query of an address: a link opens the same. Pure. */
import type { Viewpoint } from '@hub/robot-view/scene/orbit-view'
import { type DriveAddress, readDriveAddress, writeDriveAddress } from './drive/drive-address.ts'
import { numbersIn, readViewpoint, viewpointText } from './viewpoint-text.ts'

export interface RobotAddress {
  /** The model file, where it is not the first. */
  readonly model: string | null
  /** All of qpos (m and rad, quaternions w first), where the robot was moved. */
  readonly pose: readonly number[] | null
  /** Name of the camera that is looked through; null for the free view. */
  readonly camera: string | null
  /** Where the free view is, if a person has turned it. */
  readonly view: Viewpoint | null
  /** The policy that drives it: it begins where its task does, so that there is no pose. */
  readonly drive: DriveAddress | null
}

export const plainRobot: RobotAddress = { model: null, pose: null, camera: null, view: null, drive: null }

/** More than a robot here has, and less than an address may be long. */
const MOST_NUMBERS = 500

/** What is absent or broken is as in `plainRobot`. */
export function readRobotAddress(search: string): RobotAddress {
  const query = new URLSearchParams(search)
  const drive = readDriveAddress(query)
  const pose = numbersIn(query.get('pose'))
  return {
    model: query.get('model'),
    pose: drive === null && pose.length <= MOST_NUMBERS && pose.every(Number.isFinite) ? pose : null,
    camera: query.get('camera'),
    view: readViewpoint(query.get('view')),
    drive,
  }
}

/** The query of an address, without its `?`; what is as in `plainRobot` is left out. */
export function writeRobotAddress({ model, pose, camera, view, drive }: RobotAddress): string {
  const query = new URLSearchParams()
  if (model !== null) query.set('model', model)
  if (drive !== null) writeDriveAddress(query, drive)
  else if (pose !== null) query.set('pose', pose.map((value) => Number(value.toPrecision(9))).join(','))
  if (camera !== null) query.set('camera', camera)
  if (view !== null) query.set('view', viewpointText(view))
  return query.toString()
}
