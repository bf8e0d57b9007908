/** Builds RunConfig from one or two configs. Pure. Spec, RunConfig and its member types. */
import { type ConfigGroupId, configGroups, isCounted } from './config-groups.ts'
import type { ConfigLeaf } from './config-leaf.ts'
import type { ConfigShape } from './config-shape.ts'
import { type ConfigDeclared, type JudgedKeys, judgeDeclared, rendered } from './declared.ts'
import {
  type ComparedKey,
  type Comparison,
  compareConfigs,
  countKeys,
  type GroupedConfig,
  type KeyCounts,
} from './diff-config.ts'

/** Spec, "Limits". */
const MAX_ENTRIES = 120
/** Per group: enough for a page. */
const MAX_OWN_KEYS = 40

export interface ConfigKey {
  readonly path: string
  readonly value: string
  readonly group: ConfigGroupId
}

export interface ConfigDiffEntry {
  readonly path: string
  /** `type_changed`: both sides have the same text, but only one of them is a string. */
  readonly kind: 'changed' | 'type_changed'
  readonly from: string
  readonly to: string
  /** Whether a declared key matches this key. Null if the run declares nothing. */
  readonly inDeclaredChange: boolean | null
  readonly group: ConfigGroupId
  /** The key's path in the parent. */
  readonly parentPath: string
}

export interface ConfigDiff {
  readonly entries: readonly ConfigDiffEntry[]
  readonly changedKeys: number
  readonly unchangedKeys: number
  /** Number of changed keys that are not listed. */
  readonly truncated: number
  readonly comparison: 'cross_shape' | null
  readonly parentHasNoRecord: number
  readonly childHasNoRecord: number
}

export interface ConfigGroup extends KeyCounts {
  readonly id: ConfigGroupId
  readonly name: string
  readonly counted: boolean
  /** Number of keys of the run, and of its parent. */
  readonly total: number
  readonly parentTotal: number
  readonly entries: readonly ConfigDiffEntry[]
  readonly unchangedFirst: string | null
  readonly unchangedLast: string | null
  /** The first 40 keys of the run that its parent does not have, and the number of the others. */
  readonly ownKeys: readonly ConfigKey[]
  readonly ownTruncated: number
  readonly summary: string
  readonly unchangedSummary: string | null
}

export interface ConfigPair {
  readonly group: ConfigGroupId
  readonly parentPath: string
  readonly childPath: string
  readonly from: string
  readonly to: string
  readonly changed: boolean | null
  readonly rule: string
}

export interface ConfigDescription {
  readonly keys: readonly ConfigKey[]
  readonly total: number
  readonly diff: ConfigDiff | null
  readonly shape: ConfigShape
  readonly parentShape: ConfigShape | null
  readonly comparison: 'cross_shape' | null
  readonly groups: readonly ConfigGroup[]
  readonly pairs: readonly ConfigPair[]
  readonly declared: readonly ConfigDeclared[]
}

/**
 * Describes a config and its diff against the parent's, if any; `declared` are the keys that the run declared it would
 * change.
 */
export function describeConfig(
  child: GroupedConfig,
  parent: GroupedConfig | null,
  declared: readonly string[],
): ConfigDescription {
  const keys = child.keys.map(({ leaf, group }) => toKey(leaf, group))
  const comparison = parent && compareConfigs(child, parent)
  const judged = judgeDeclared(declared, comparison?.keys ?? [])
  const listed = listChanges(comparison, judged)
  const crossShape = comparison?.isCrossShape ? 'cross_shape' : null
  return {
    keys,
    total: keys.length,
    diff: comparison && diffOf(comparison, listed),
    shape: child.shape,
    parentShape: parent?.shape ?? null,
    comparison: crossShape,
    groups: configGroups.flatMap(({ id }) => groupOf(id, child, comparison, listed)),
    pairs: comparison?.isCrossShape ? comparison.keys.flatMap(toPair) : [],
    declared: judged.declared,
  }
}

const toKey = (leaf: ConfigLeaf, group: ConfigGroupId): ConfigKey => ({
  path: leaf.path,
  value: rendered(leaf.text),
  group,
})

/** The listed changes: the first 120 of all counted groups together, and the first 120 of bookkeeping. */
function listChanges(comparison: Comparison | null, judged: JudgedKeys): ConfigDiffEntry[] {
  const changes = (comparison?.keys ?? []).flatMap((key) => toEntry(key, judged))
  const of = (counted: boolean) => changes.filter(({ group }) => isCounted(group) === counted).slice(0, MAX_ENTRIES)
  return [...of(true), ...of(false)]
}

function toEntry(key: ComparedKey, judged: JudgedKeys): ConfigDiffEntry[] {
  const { child, parent, group } = key
  if (!key.changed || !child || !parent) return []
  return [
    {
      path: child.path,
      kind: child.text === parent.text ? 'type_changed' : 'changed',
      from: rendered(parent.text),
      to: rendered(child.text),
      inDeclaredChange: judged.declared.length === 0 ? null : judged.matchedKeys.has(key),
      group,
      parentPath: parent.path,
    },
  ]
}

function diffOf(comparison: Comparison, listed: readonly ConfigDiffEntry[]): ConfigDiff {
  const counts = countKeys(comparison.keys.filter(({ group }) => isCounted(group)))
  const entries = listed.filter(({ group }) => isCounted(group))
  return {
    entries,
    changedKeys: counts.changed,
    unchangedKeys: counts.unchanged,
    truncated: counts.changed - entries.length,
    comparison: comparison.isCrossShape ? 'cross_shape' : null,
    parentHasNoRecord: counts.parentHasNoRecord,
    childHasNoRecord: counts.childHasNoRecord,
  }
}

/** The description of one group; empty if neither side has a key in the group. */
function groupOf(
  id: ConfigGroupId,
  child: GroupedConfig,
  comparison: Comparison | null,
  listed: readonly ConfigDiffEntry[],
): ConfigGroup[] {
  const keys = (comparison?.keys ?? []).filter(({ group }) => group === id)
  const total = child.keys.filter(({ group }) => group === id).length
  if (total === 0 && keys.length === 0) return []
  const counts = countKeys(keys)
  const unchanged = keys.filter(({ changed }) => changed === false)
  const own = keys.flatMap(({ child, parent }) => (child && !parent ? [toKey(child, id)] : []))
  return [
    {
      id,
      name: configGroups.find((group) => group.id === id)?.name ?? id,
      counted: isCounted(id),
      total,
      parentTotal: keys.filter(({ parent }) => parent).length,
      ...counts,
      entries: listed.filter(({ group }) => group === id),
      unchangedFirst: unchanged[0]?.child?.path ?? null,
      unchangedLast: unchanged.at(-1)?.child?.path ?? null,
      ownKeys: own.slice(0, MAX_OWN_KEYS),
      ownTruncated: Math.max(0, own.length - MAX_OWN_KEYS),
      summary: comparison ? summaryOf(counts) : `${total} keys, without a comparison.`,
      unchangedSummary: counts.unchanged > 0 ? `${counts.unchanged} unchanged.` : null,
    },
  ]
}

function summaryOf(counts: KeyCounts): string {
  const parts = [
    `${counts.changed} of ${counts.compared} compared keys changed`,
    counts.parentHasNoRecord > 0 && `the parent has no record of ${counts.parentHasNoRecord}`,
    counts.childHasNoRecord > 0 && `the run has no record of ${counts.childHasNoRecord}`,
  ]
  return `${parts.filter(Boolean).join('; ')}.`
}

function toPair({ group, child, parent, changed, rule }: ComparedKey): ConfigPair[] {
  if (!child || !parent || rule === null) return []
  return [
    {
      group,
      parentPath: parent.path,
      childPath: child.path,
      from: rendered(parent.text),
      to: rendered(child.text),
      changed,
      rule,
    },
  ]
}
