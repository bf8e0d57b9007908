/** Which map is used and what it takes for granted, in words; what speaks against it, and the choice of another. */

import type { JointMap } from '@hub/embodiment/joint-map'
import { BY_NAME, type KeptMap, keptName } from '../../viewer/kept-map.ts'
import { choice } from '../../viewer/panels/choices.ts'
import { element, told } from '../../viewer/panels/element.ts'
import type { Doubt } from './poses.ts'
import type { RobotTarget } from './robot-targets.ts'

export interface MapNoteOptions {
  readonly map: JointMap
  readonly targets: readonly RobotTarget[]
  /** Kept maps to the robot, newest first. */
  readonly maps: readonly KeptMap[]
  /** The one in use; null for joints by name. */
  readonly kept: KeptMap | null
  /** A person changed it on this page. */
  readonly isOwn: boolean
  /** What of the kept map cannot be done here, a sentence each. */
  readonly missing: readonly string[]
  readonly doubts: readonly Doubt[]
  /** Offered where angles may be in degrees. */
  readonly toDegrees: HTMLElement
}

/** Where joints have another pose than was recorded, a person reads why. */
export function mapNote({ map, targets, doubts, toDegrees, ...about }: MapNoteOptions): HTMLElement[] {
  const how = `${map.joints.length} of ${targets.length} joints ${howText(about)}`
  const none = map.joints.length === 0 ? ' Choose below where each joint comes from.' : ''
  const isDoubtful = !about.isOwn && about.kept?.reviewedAt === null
  const said = element('p', { class: isDoubtful ? 'viewer-warning' : 'episode-note' }, how + none)
  const lost = about.missing.map((text) => element('li', {}, text))
  const note = lost.length === 0 ? [said] : [said, element('ul', { class: 'viewer-warning' }, ...lost)]
  if (doubts.length === 0) return note
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
  return [...note, warning]
}

/** The rest of a sentence that begins with how many joints are moved. */
export function howText({ kept, isOwn, maps }: Pick<MapNoteOptions, 'kept' | 'isOwn' | 'maps'>): string {
  if (isOwn)
    return `follow a map that was changed on this page${kept ? ` (from the kept map, ${keptName(kept)})` : ''}.`
  if (kept) {
    const open = kept.reviewedAt === null ? ' No one has reviewed it: what you see may not be what was recorded.' : ''
    return `follow the kept map, ${keptName(kept)}.${open}`
  }
  const byName = 'are matched by name. The data set says no unit: numbers are taken as rad and m, with a plus sign.'
  const [newest] = maps
  return newest ? `${byName} A map is kept: ${keptName(newest)}. Choose it under "Map".` : byName
}

interface MapChooserOptions {
  readonly maps: readonly KeptMap[]
  /** Address of the page of these maps. */
  readonly reviewPage: string
  /** The version in use, or `BY_NAME`; null for a map that was made here. */
  readonly used: number | null
  choose(version: number): void
}

const OWN = 'own'

/** The kept versions and joints by name, to choose from; nothing where no map is kept. */
export function mapChooser({ maps, reviewPage, used, choose }: MapChooserOptions): HTMLElement[] {
  if (maps.length === 0) return []
  const options = [
    ...(used === null ? [[OWN, 'changed on this page'] as const] : []),
    ...maps.map((one) => [String(one.version), keptName(one)] as const),
    [String(BY_NAME), 'none: joints by name'] as const,
  ]
  const { node, select } = choice('Map', options, (value) => choose(Number(value)))
  select.value = used === null ? OWN : String(used)
  const link = element('a', { href: reviewPage }, 'See the map on the robots, and review it')
  return [element('span', { class: 'viewer-toolbar' }, node, link)]
}

const MOST_TOLD = 6

const doubtText = ({ joint, least, most, range }: Doubt) =>
  `${joint}: ${told(least)} to ${told(most)}, and the joint has ${told(range[0])} to ${told(range[1])}`
