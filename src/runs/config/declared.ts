/** Declared changes of a run, and whether its config changed accordingly. Pure. Spec, RunConfigDeclared. */
import { isJsonObject } from '@hub/formats/exact-json'
import { type ConfigGroupId, groupOfPath, isCounted, type KnownNames } from './config-groups.ts'
import { leavesOf } from './config-leaf.ts'
import type { ComparedKey } from './diff-config.ts'
import { keyMatcher } from './key-matcher.ts'

export interface ConfigDeclared {
  readonly key: string
  readonly status: 'moved' | 'not_moved' | 'cannot_compare'
  readonly group: ConfigGroupId
  readonly summary: string
}

/** The verdict on each declared key, and the config keys that at least one declared key matches. */
export interface JudgedKeys {
  readonly declared: readonly ConfigDeclared[]
  readonly matchedKeys: ReadonlySet<ComparedKey>
}

const MAX_DECLARED = 100

/**
 * The keys of `hyperparams.declared_change` (a list of keys, or a map by key) if it is present; else the hyperparams
 * that differ from the parent's, since setting a hyperparameter marks it as relevant. Without `declared_change`,
 * bookkeeping keys are not declarations.
 */
export function declaredKeys(hyperparams: unknown, parentHyperparams: unknown): string[] {
  const own = isJsonObject(hyperparams) ? hyperparams : {}
  const stated = own.declared_change
  if (Array.isArray(stated)) return unique(stated.filter((key) => typeof key === 'string' && key !== ''))
  if (isJsonObject(stated)) return unique(Object.keys(stated))
  const before = textsOf(parentHyperparams)
  const differing = [...textsOf(own)].filter(([path, text]) => before.get(path) !== text).map(([path]) => path)
  const known: KnownNames = new Map()
  return unique(differing.filter((path) => isCounted(groupOfPath(path, known))))
}

/** Judges each declared key by the compared config keys; `keys` is empty if there was no config to compare with. */
export function judgeDeclared(declared: readonly string[], keys: readonly ComparedKey[]): JudgedKeys {
  const stood = keysFor(declared, keys)
  return {
    declared: declared.map((key, place) => {
      const found = stood[place] ?? []
      return { key, group: found[0]?.group ?? groupOfPath(key), ...verdict(found) }
    }),
    matchedKeys: new Set(stood.flat()),
  }
}

function verdict(keys: readonly ComparedKey[]): Pick<ConfigDeclared, 'status' | 'summary'> {
  const [first] = keys
  if (!first) return { status: 'cannot_compare', summary: 'No key of either config has this name.' }
  const moved = keys.filter(({ changed }) => changed === true)
  const [one] = moved
  if (one)
    return {
      status: 'moved',
      summary: keys.length === 1 ? change(one) : `${moved.length} of ${keys.length} keys changed.`,
    }
  if (keys.some(({ changed }) => changed === null)) {
    const missing = keys.some(({ parent }) => !parent?.known) ? 'The parent' : 'The run'
    return { status: 'cannot_compare', summary: `${missing} has no record of it.` }
  }
  const still =
    keys.length === 1 && first.child ? `Still ${rendered(first.child.text)}.` : `None of ${keys.length} keys changed.`
  return { status: 'not_moved', summary: still }
}

const change = ({ child, parent }: ComparedKey) => `${rendered(parent?.text ?? '')} → ${rendered(child?.text ?? '')}`

/**
 * For each declared key, the config keys at or below it. If there are none, the config keys that have its names
 * anywhere on their path: `gamma`, `sim.dt`.
 */
function keysFor(declared: readonly string[], keys: readonly ComparedKey[]): ComparedKey[][] {
  const matcher = keyMatcher(declared)
  const under = declared.map((): ComparedKey[] => [])
  const onPath = declared.map((): ComparedKey[] => [])
  for (const key of keys) {
    const matches = pathsOf(key).map((path) => matcher.match(path))
    for (const place of new Set(matches.flatMap((match) => match.under))) under[place]?.push(key)
    for (const place of new Set(matches.flatMap((match) => match.onPath))) onPath[place]?.push(key)
  }
  return under.map((below, place) => (below.length > 0 ? below : (onPath[place] ?? [])))
}

const pathsOf = ({ child, parent }: ComparedKey) =>
  [child?.path, parent?.path === child?.path ? undefined : parent?.path].filter((path) => path !== undefined)
const unique = (keys: readonly string[]) => [...new Set(keys)].slice(0, MAX_DECLARED)

function textsOf(value: unknown): Map<string, string> {
  const reading = isJsonObject(value) ? leavesOf(value) : { leaves: [] }
  return new Map('leaves' in reading ? reading.leaves.map(({ path, text }) => [path, text]) : [])
}

/** Spec, RunConfigKey: `value` is elided past 200 characters. */
const MAX_VALUE_LENGTH = 200

/** A value's text for display: at most 200 characters. */
export function rendered(text: string): string {
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH - 1).toWellFormed()}…` : text
}
