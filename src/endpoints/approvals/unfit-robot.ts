/** The refusal of a robot that does not fit a policy: what differs, and what to do. Pure. */
import type { Difference, Fit } from '@hub/embodiment/fit'
import { HubError } from '../../platform/errors.ts'

/** In the sentence; `errors[]` has more of them. */
const MOST_TOLD = 4
/** Names of joints are as long as people made them. */
const MOST_LETTERS = 300

interface Pair {
  readonly policy: string
  readonly robot: string
  readonly isShown: boolean
  /** Of the map that is reviewed, and of the newest one. */
  readonly version: number | null
  readonly newest: number | null
}

/** No map of joints resolves these. */
const beyondMaps: ReadonlySet<Difference['kind']> = new Set(['base', 'action', 'rate', 'cameras'])

/** 409 `conflict.robot_fit`. */
export function unfitRobot(pair: Pair, { verdict, differences }: Fit): HubError {
  const { policy, robot, isShown } = pair
  const counted = differences.filter(({ blocks }) => verdict !== 'none' || blocks)
  const reasons = counted.map(({ reason }) => reason.slice(0, MOST_LETTERS))
  const told = isShown ? ` ${reasons.slice(0, MOST_TOLD).join(' ')}${moreThan(reasons.length)}` : ''
  const detail = `${robot} does not fit ${policy}${byMap(pair)}.${told} ${fixOf(pair, counted)}`
  const items = counted.map(({ place }, at) => ({ type: 'conflict.robot_fit', detail: reasons[at] ?? '', place }))
  return new HubError('conflict.robot_fit', detail, {
    items: isShown ? [{ type: 'conflict.robot_fit', detail }, ...items.slice(0, MOST_ITEMS)] : undefined,
  })
}

const MOST_ITEMS = 50

const moreThan = (count: number) => (count > MOST_TOLD ? ` And ${count - MOST_TOLD} more.` : '')

const byMap = ({ version }: Pair) => (version === null ? ' as it is' : ` by version ${version} of their map`)

function fixOf({ policy, robot, version, newest }: Pair, counted: readonly Difference[]): string {
  if (counted.some(({ kind, blocks }) => blocks && beyondMaps.has(kind)))
    return `No map of joints changes that: use a policy that was made for ${robot}.`
  if (newest !== null && newest !== version)
    return `Version ${newest} of their map waits for a review: hub map review ${policy} ${robot}.`
  return `Make a map with hub map propose ${policy} ${robot}, keep it with hub map put, and have it reviewed.`
}
