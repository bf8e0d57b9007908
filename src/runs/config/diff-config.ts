/**
 * Compares a config with its parent's. Pure. Spec, RunConfigDiff.
 *
 * A pair of keys is compared only if both sides have a value. A missing value counts as no record of that side, never
 * as unchanged. Between a manifest and a resolved config, only keys that are mapped one-to-one are pairs.
 */
import { type ConfigGroupId, configGroups, groupOfPath, type KnownNames } from './config-groups.ts'
import type { ConfigLeaf } from './config-leaf.ts'
import { type ConfigShape, resolvedPath, shapeOf } from './config-shape.ts'

/** A config's leaves by group. */
export interface GroupedConfig {
  readonly shape: ConfigShape
  readonly keys: readonly GroupedKey[]
}

export interface GroupedKey {
  readonly leaf: ConfigLeaf
  readonly group: ConfigGroupId
}

/** Comparison result of one key. */
export interface ComparedKey {
  readonly group: ConfigGroupId
  readonly child: ConfigLeaf | null
  readonly parent: ConfigLeaf | null
  /** Null if the value of either side is missing or unresolved. */
  readonly changed: boolean | null
  /** The mapping rule of the pair, in a cross-shape comparison. */
  readonly rule: string | null
}

export interface Comparison {
  readonly isCrossShape: boolean
  /**
   * In the order of the groups. Within a group: the child's keys in their order, then the keys that only the parent
   * has.
   */
  readonly keys: readonly ComparedKey[]
}

/** A manifest key gets the group of its counterpart in a resolved config, so that both sides count it in one group. */
export function groupConfig(leaves: readonly ConfigLeaf[]): GroupedConfig {
  const shape = shapeOf(leaves)
  const pathIn = (path: string) => (shape === 'manifest' ? (resolvedPath(path)?.path ?? path) : path)
  const known: KnownNames = new Map()
  return { shape, keys: leaves.map((leaf) => ({ leaf, group: groupOfPath(pathIn(leaf.path), known) })) }
}

/** Pairs the keys of both sides; every key of either side is in the result once. */
export function compareConfigs(child: GroupedConfig, parent: GroupedConfig): Comparison {
  const shapes = [child.shape, parent.shape]
  const isCrossShape = shapes.includes('manifest') && shapes.includes('resolved')
  const meeting = (path: string, shape: ConfigShape) =>
    isCrossShape && shape === 'manifest' ? resolvedPath(path) : { path, rule: null }
  const unmet = new Map<string, GroupedKey & { readonly rule: string | null }>()
  const alone: ComparedKey[] = []
  for (const key of parent.keys) {
    const place = meeting(key.leaf.path, parent.shape)
    if (place) unmet.set(place.path, { ...key, rule: place.rule })
    else alone.push({ group: key.group, child: null, parent: key.leaf, changed: null, rule: null })
  }
  const own = child.keys.map(({ leaf, group }): ComparedKey => {
    const place = meeting(leaf.path, child.shape)
    const other = place ? unmet.get(place.path) : undefined
    if (!place || !other) return { group, child: leaf, parent: null, changed: null, rule: null }
    unmet.delete(place.path)
    const changed = leaf.known && other.leaf.known ? differ(leaf, other.leaf) : null
    return { group, child: leaf, parent: other.leaf, changed, rule: place.rule ?? other.rule }
  })
  const rest = [...unmet.values()].map(({ leaf, group }): ComparedKey => {
    return { group, child: null, parent: leaf, changed: null, rule: null }
  })
  return { isCrossShape, keys: [...own, ...rest, ...alone].sort((a, b) => placeOf(a.group) - placeOf(b.group)) }
}

const differ = (a: ConfigLeaf, b: ConfigLeaf) => a.text !== b.text || a.isText !== b.isText

const places = new Map(configGroups.map(({ id }, place) => [id, place]))
const placeOf = (group: ConfigGroupId) => places.get(group) ?? 0

export interface KeyCounts {
  readonly compared: number
  readonly changed: number
  readonly unchanged: number
  readonly parentHasNoRecord: number
  readonly childHasNoRecord: number
}

/**
 * A key that only one side has counts as no record of the other side. A pair counts for each side whose value is
 * unresolved, so it may count for both.
 */
export function countKeys(keys: readonly ComparedKey[]): KeyCounts {
  const count = (is: (key: ComparedKey) => boolean) => keys.reduce((sum, key) => sum + (is(key) ? 1 : 0), 0)
  const changed = count((key) => key.changed === true)
  const unchanged = count((key) => key.changed === false)
  return {
    compared: changed + unchanged,
    changed,
    unchanged,
    parentHasNoRecord: count(({ child, parent }) => !parent || (child !== null && !parent.known)),
    childHasNoRecord: count(({ child, parent }) => !child || (parent !== null && !child.known)),
  }
}
