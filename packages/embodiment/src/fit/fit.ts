/** Whether what was made for one body runs on another. Pure. */
import type { Embodiment } from '../embodiment.ts'
import type { JointMap } from '../joint-map.ts'
import type { Difference } from './difference.ts'
import { jointDifferences } from './joint-differences.ts'
import { jointFaults, mapByName, mapDifferences } from './map-for.ts'
import { wholeDifferences } from './whole-differences.ts'

export type { Difference } from './difference.ts'

/** `as_is`: the same numbers in the same places. `mapped`: with the map of the answer. `none`: a difference blocks. */
export type Verdict = 'as_is' | 'mapped' | 'none'

export interface Fit {
  readonly verdict: Verdict
  /** What turns numbers of the source into the robot's; null where nothing does. */
  readonly map: JointMap | null
  /** Those that block come first. */
  readonly differences: readonly Difference[]
}

/** Differences of these kinds ask for no change of numbers. */
const harmless: ReadonlySet<Difference['kind']> = new Set(['limits', 'pose', 'rate', 'cameras'])

/**
 * Compares what both sides say; what a side does not say is no difference, except the unit of joints, which must be
 * known to move a robot. Without a map joints go by equal names, in any order. A sign that differs between two
 * symmetric ranges cannot be seen in what the sides say: the check of a robot sees it, this does not.
 */
export function fit(source: Embodiment, robot: Embodiment, map?: JointMap): Fit {
  const faults = jointFaults(source, robot, map)
  const used = map ?? (faults.length === 0 ? mapByName(source) : null)
  const differences = [
    ...faults,
    ...(used ? jointDifferences(source, robot, used, map !== undefined) : []),
    ...(used && faults.length === 0 ? mapDifferences(source, robot, used) : []),
    ...wholeDifferences(source, robot, used),
  ]
  const blocking = differences.filter(({ blocks }) => blocks)
  const rest = differences.filter(({ blocks }) => !blocks)
  const changed = rest.some(({ kind }) => !harmless.has(kind))
  const verdict = blocking.length > 0 ? 'none' : changed ? 'mapped' : 'as_is'
  return { verdict, map: verdict === 'none' ? null : used, differences: [...blocking, ...rest] }
}
