/** Everything that an episode is looked at with, as the query of an address: a link opens the same. Pure. */

import type { JointMap } from '@hub/embodiment/joint-map'
import type { Viewpoint } from '@hub/robot-view/scene/orbit-view'
import { readViewpoint, viewpointText } from '../viewer/viewpoint-text.ts'

export interface EpisodeAddress {
  /** Of the dataset: `episode_index`. */
  readonly episode: number
  readonly frame: number
  /** A second episode beside it. */
  readonly beside: number | null
  /** The robot's repo, `owner/slug`, where a person chose it, and its model file where that is not the first. */
  readonly robot: string | null
  readonly model: string | null
  /** Pairs of a map that a person made; null for a kept map, or joints by name. */
  readonly map: JointMap['joints'] | null
  /** The kept version that a person chose, 0 for joints by name; null for the newest reviewed one. */
  readonly kept: number | null
  /** Whether the action is drawn through the state. */
  readonly ghost: boolean
  /** From which a difference of state and action is marked, in rad or m. */
  readonly differ: number
  readonly speed: number
  readonly loop: boolean
  /** Where the view is: the camera and what it turns around, three numbers each. */
  readonly view: Viewpoint | null
}

export const plainAddress: EpisodeAddress = {
  episode: 0,
  frame: 0,
  beside: null,
  robot: null,
  model: null,
  map: null,
  kept: null,
  ghost: false,
  differ: 0.1,
  speed: 1,
  loop: false,
  view: null,
}

/** What is absent or broken is as in `plainAddress`. */
export function readAddress(search: string): EpisodeAddress {
  const query = new URLSearchParams(search)
  const whole = (name: string) => (/^\d{1,9}$/.test(query.get(name) ?? '') ? Number(query.get(name)) : null)
  const positive = (name: string, otherwise: number) => {
    const value = Number(query.get(name) ?? Number.NaN)
    return value > 0 && Number.isFinite(value) ? value : otherwise
  }
  const robot = query.get('robot')
  return {
    episode: whole('episode') ?? plainAddress.episode,
    frame: whole('frame') ?? plainAddress.frame,
    beside: whole('b'),
    robot: robot !== null && isRepoName(robot) ? robot : null,
    model: query.get('model'),
    map: pairsOf(query.get('map')),
    kept: whole('kept'),
    ghost: query.get('ghost') === 'action',
    differ: positive('differ', plainAddress.differ),
    speed: Math.min(MOST_SPEED, Math.max(LEAST_SPEED, positive('speed', plainAddress.speed))),
    loop: query.get('loop') === '1',
    view: readViewpoint(query.get('view')),
  }
}

/** Browsers play videos no slower. */
const LEAST_SPEED = 0.0625
/** An episode of three hours takes eleven seconds. */
const MOST_SPEED = 1000

/** Whether a text may name a repo: `owner/slug`. */
export const isRepoName = (text: string): boolean => /^[a-z0-9-]+\/[a-z0-9-]+$/.test(text)

/** The query of an address, without its `?`; what is as in `plainAddress` is left out. */
export function writeAddress(address: EpisodeAddress): string {
  const query = new URLSearchParams()
  const put = (name: string, value: string | number | null, plain: string | number | null) => {
    if (value !== null && value !== plain) query.set(name, String(value))
  }
  put('episode', address.episode, 0)
  put('frame', address.frame, 0)
  put('b', address.beside, null)
  put('robot', address.robot, null)
  put('model', address.model, null)
  const pairs = address.map?.map(({ from, to, sign, scale, offset }) => [from, to, sign * scale, offset])
  put('map', pairs ? JSON.stringify(pairs) : null, null)
  put('kept', address.kept, null)
  put('ghost', address.ghost ? 'action' : null, null)
  put('differ', address.differ, plainAddress.differ)
  put('speed', address.speed, 1)
  put('loop', address.loop ? 1 : 0, 0)
  put('view', address.view ? viewpointText(address.view) : null, null)
  return query.toString()
}

/** More joints than any robot here has. */
const MOST_PAIRS = 300

function pairsOf(text: string | null): JointMap['joints'] | null {
  if (text === null) return null
  try {
    const found: unknown = JSON.parse(text)
    if (!Array.isArray(found) || found.length > MOST_PAIRS) return null
    const pairs = found.flatMap(pairOf)
    return pairs.length === found.length ? pairs : null
  } catch {
    return null
  }
}

function pairOf(part: unknown): JointMap['joints'] {
  if (!Array.isArray(part)) return []
  const [from, to, factor, offset]: readonly unknown[] = part
  if (typeof from !== 'string' || typeof to !== 'string') return []
  if (typeof factor !== 'number' || typeof offset !== 'number' || factor === 0) return []
  return [{ from, to, sign: factor < 0 ? -1 : 1, scale: Math.abs(factor), offset }]
}
