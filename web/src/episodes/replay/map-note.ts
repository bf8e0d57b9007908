/** What a map takes for granted, in words, and what speaks against it. */

import type { JointMap } from '@hub/embodiment/joint-map'
import { element, told } from '../../viewer/panels/element.ts'
import type { Doubt } from './poses.ts'
import type { RobotTarget } from './robot-targets.ts'

export interface MapNoteOptions {
  readonly map: JointMap
  readonly targets: readonly RobotTarget[]
  /** Nobody has said where joints come from. */
  readonly isByName: boolean
  readonly doubts: readonly Doubt[]
  /** Offered where angles may be in degrees. */
  readonly toDegrees: HTMLElement
}

/** Where joints have another pose than was recorded, a person reads why. */
export function mapNote({ map, targets, isByName, doubts, toDegrees }: MapNoteOptions): HTMLElement[] {
  const count = `${map.joints.length} of ${targets.length} joints`
  const how = isByName
    ? `${count} are matched by name. The data set says no unit: numbers are taken as rad and m, with a plus sign.`
    : `${count} follow a map.`
  const none = map.joints.length === 0 ? ' Choose below where each joint comes from.' : ''
  const note = element('p', { class: 'episode-note' }, how + none)
  if (doubts.length === 0) return [note]
  const doubted = (name: string) => doubts.some(({ joint }) => joint === name)
  const isAngle = targets.some(({ name, unit }) => unit === 'rad' && doubted(name))
  const warning = element(
    'div',
    { class: 'viewer-warning', role: 'status' },
    element('p', { class: 'episode-note' }, 'Recorded values are far outside the limits of the robot:'),
    element('ul', {}, ...doubts.slice(0, MOST_TOLD).map((one) => element('li', {}, doubtText(one)))),
    element('p', { class: 'episode-note' }, 'Their unit, sign or offset may be another.'),
    ...(isAngle ? [toDegrees] : []),
  )
  return [note, warning]
}

const MOST_TOLD = 6

const doubtText = ({ joint, least, most, range }: Doubt) =>
  `${joint}: ${told(least)} to ${told(most)}, and the joint has ${told(range[0])} to ${told(range[1])}`
