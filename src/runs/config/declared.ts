/** What a run said that it would change, and whether its config did. Pure. Spec, RunConfigDeclared. */
import { type ConfigGroupId, groupOfPath, isCounted } from './config-groups.ts'
import { leavesOf } from './config-leaf.ts'
import type { ComparedKey } from './diff-config.ts'
import { rendered } from './rendered.ts'

export interface ConfigDeclared {
  readonly key: string
  readonly status: 'moved' | 'not_moved' | 'cannot_compare'
  readonly group: ConfigGroupId
  readonly summary: string
}

/** A declared key and the keys of the configs that it stands for. */
export interface DeclaredKey {
  readonly declared: ConfigDeclared
  readonly stoodFor: ReadonlySet<ComparedKey>
}

type Members = Readonly<Record<string, unknown>>

const MAX_DECLARED = 100

/**
 * `hyperparams.declared_change` (a list of keys, or a map by key) where there is one; else the hyperparams that differ from the parent's, for whoever sets
 * one says that it matters. Bookkeeping declares nothing.
 */
export function declaredKeys(hyperparams: unknown, parentHyperparams: unknown): string[] {
  const own = isObject(hyperparams) ? hyperparams : {}
  const stated = own.declared_change
  if (Array.isArray(stated)) return unique(stated.filter((key) => typeof key === 'string' && key !== ''))
  if (isObject(stated)) return unique(Object.keys(stated))
  const before = textsOf(parentHyperparams)
  const differing = [...textsOf(own)].filter(([path, text]) => before.get(path) !== text).map(([path]) => path)
  return unique(differing.filter((path) => isCounted(groupOfPath(path))))
}

/** Each of the keys against the configs; `keys` is empty where there was nothing to compare with. */
export function judgeDeclared(declared: readonly string[], keys: readonly ComparedKey[]): DeclaredKey[] {
  return declared.map((key) => {
    const stoodFor = keysFor(key, keys)
    const group = stoodFor[0]?.group ?? groupOfPath(key)
    return { declared: { key, group, ...verdict(stoodFor) }, stoodFor: new Set(stoodFor) }
  })
}

function verdict(keys: readonly ComparedKey[]): Pick<ConfigDeclared, 'status' | 'summary'> {
  const [first] = keys
  if (!first) return { status: 'cannot_compare', summary: 'No key of the two configs is called so.' }
  const moved = keys.filter(({ changed }) => changed === true)
  const [one] = moved
  if (one)
    return {
      status: 'moved',
      summary: keys.length === 1 ? change(one) : `${moved.length} of ${keys.length} keys moved.`,
    }
  if (keys.some(({ changed }) => changed === null)) {
    const missing = keys.some(({ parent }) => !parent?.known) ? 'The parent' : 'The run'
    return { status: 'cannot_compare', summary: `${missing} has no record of it.` }
  }
  const still =
    keys.length === 1 && first.child ? `Still ${rendered(first.child.text)}.` : `None of ${keys.length} keys moved.`
  return { status: 'not_moved', summary: still }
}

const change = ({ child, parent }: ComparedKey) => `${rendered(parent?.text ?? '')} → ${rendered(child?.text ?? '')}`

/** The key itself and what lies below it; where there is no such key, those that have its names somewhere on their path: `gamma`, `sim.dt`. */
function keysFor(key: string, keys: readonly ComparedKey[]): ComparedKey[] {
  const under = keys.filter((each) => pathsOf(each).some((path) => path.startsWith(key) && endsName(path, key.length)))
  if (under.length > 0) return under
  return keys.filter((each) => pathsOf(each).some((path) => isOnPath(key, path)))
}

function isOnPath(key: string, path: string): boolean {
  for (let at = path.indexOf(key); at !== -1; at = path.indexOf(key, at + 1)) {
    if ((at === 0 || path[at - 1] === '.') && endsName(path, at + key.length)) return true
  }
  return false
}

const endsName = (path: string, at: number) => at === path.length || path[at] === '.' || path[at] === '['
const pathsOf = ({ child, parent }: ComparedKey) => [child?.path, parent?.path].filter((path) => path !== undefined)
const unique = (keys: readonly string[]) => [...new Set(keys)].slice(0, MAX_DECLARED)

function textsOf(value: unknown): Map<string, string> {
  const reading = isObject(value) ? leavesOf(value) : { leaves: [] }
  return new Map('leaves' in reading ? reading.leaves.map(({ path, text }) => [path, text]) : [])
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
