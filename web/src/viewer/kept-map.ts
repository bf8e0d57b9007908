/** Maps that the hub keeps from the joints of a repo to those of a robot. Pure. */
import type { JointMap } from '@hub/embodiment/joint-map'

/** A version of the map. */
export interface KeptMap {
  readonly version: number
  readonly map: JointMap
  /** Null while no one has reviewed it. */
  readonly reviewedAt: string | null
}

/** The version that stands for joints by name: kept ones begin at 1. */
export const BY_NAME = 0

/**
 * The version that a person chose, else the newest reviewed one; null for joints by name. One that no one has reviewed
 * is never used by itself. `maps`: newest first.
 */
export function keptInUse(maps: readonly KeptMap[], chosen: number | null): KeptMap | null {
  if (chosen === BY_NAME) return null
  const one = chosen === null ? undefined : maps.find(({ version }) => version === chosen)
  return one ?? maps.find(({ reviewedAt }) => reviewedAt !== null) ?? null
}

/** For people: `version 3, reviewed 2026-11-12`. */
export const keptName = ({ version, reviewedAt }: Pick<KeptMap, 'version' | 'reviewedAt'>): string =>
  `version ${version}, ${reviewedAt === null ? 'not reviewed' : `reviewed ${reviewedAt.slice(0, 10)}`}`
