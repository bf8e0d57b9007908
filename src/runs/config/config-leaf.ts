/** A resolved config as a list of leaves: each scalar value with its path. Pure. Contract, "Configs". */
import { canonicalText } from '@hub/formats/canonical-hash'
import { ExactNumber } from '@hub/formats/exact-json'

export interface ConfigLeaf {
  readonly path: string
  /** A string as is, any other value as JSON. */
  readonly text: string
  /** Whether the value is a string: `1` and `"1"` have the same text but differ. */
  readonly isText: boolean
  /** False for unresolved values (`${…}`, `???`): they equal nothing, not even themselves. */
  readonly known: boolean
}

/** The leaves of a config, or one sentence that says why there are none. */
export type ConfigReading = { readonly leaves: readonly ConfigLeaf[] } | { readonly fault: string }

/** Ten times what the largest simulators write. Aliases can expand a page of text to a billion leaves. */
const MAX_LEAVES = 20_000
/**
 * Limits for the sum of all paths and the sum of all values. A key of 100 KB above a thousand leaves, or a thousand
 * aliases of a string of 100 KB, would be 100 MB of work.
 */
const MAX_PATH_CHARACTERS = 1024 * 1024
const MAX_TEXT_CHARACTERS = 2 * 1024 * 1024
/** The same limit as in the YAML parser; with aliases, the value can be deeper than the text. */
const MAX_DEPTH = 100
const TOO_DEEP = `The config has more than ${MAX_DEPTH} levels, or contains itself.`

/**
 * The leaves of a parsed YAML or JSON value, in document order. A nested empty map or list is a leaf; an empty root has
 * none.
 */
export function leavesOf(root: unknown): ConfigReading {
  const leaves: ConfigLeaf[] = []
  const within = new Set<object>()
  let pathCharacters = 0
  let textCharacters = 0

  const addLeaf = (value: unknown, path: string): string | null => {
    const leaf = toLeaf(value, path)
    pathCharacters += path.length
    textCharacters += leaf.text.length
    if (leaves.length === MAX_LEAVES) return `The config has more than ${MAX_LEAVES} values after expanding aliases.`
    if (pathCharacters > MAX_PATH_CHARACTERS) return 'The keys of the config are too long.'
    if (textCharacters > MAX_TEXT_CHARACTERS) return 'The values of the config are too long after expanding aliases.'
    leaves.push(leaf)
    return null
  }

  const visit = (value: unknown, path: string): string | null => {
    if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return addLeaf(value, path)
    // Detects a cycle at its first repetition; each of a hundred rounds would list the whole content.
    if (within.size === MAX_DEPTH || within.has(value)) return isEmpty(value) ? addLeaf(value, path) : TOO_DEEP
    const isRoot = within.size === 0
    within.add(value)
    let isLeaf = true
    for (const [step, inner] of stepsInto(value)) {
      isLeaf = false
      const fault = visit(inner, path + (path === '' && step.startsWith('.') ? step.slice(1) : step))
      if (fault !== null) return fault
    }
    within.delete(value)
    return isLeaf && !isRoot ? addLeaf(value, path) : null
  }

  const fault = visit(root, '')
  return fault === null ? { leaves } : { fault }
}

const isEmpty = (value: object) => stepsInto(value).next().done === true

/**
 * The path step (`.name`, `["a.b"]` or `[0]`) and the value of each member. A generator, because a list may have half a
 * million members.
 */
function* stepsInto(value: object): Generator<readonly [step: string, inner: unknown], void> {
  if (Array.isArray(value)) for (const [place, inner] of value.entries()) yield [`[${place}]`, inner]
  else for (const key of Object.keys(value)) yield [stepOf(key), (value as Readonly<Record<string, unknown>>)[key]]
}

const stepOf = (key: string) => (key === '' || /[.[\]]/.test(key) ? `[${JSON.stringify(key)}]` : `.${key}`)

function toLeaf(value: unknown, path: string): ConfigLeaf {
  const isText = typeof value === 'string'
  return { path, text: isText ? value : rendered(value), isText, known: !(isText && isUnresolved(value)) }
}

/**
 * Canonical JSON, in which a number has one spelling; for the numbers that JSON lacks, YAML's words (`.nan`, `.inf`).
 */
function rendered(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf'
  }
  return value instanceof ExactNumber ? canonicalText(value) : (JSON.stringify(value) ?? 'null')
}

/** Whether the text contains an unresolved interpolation (`${…}`), or is the marker of a missing value (`???`). */
function isUnresolved(text: string): boolean {
  if (text === '???') return true
  // No regular expression: it would search for the end of each of a hundred thousand `${`.
  const begin = text.indexOf('${')
  return begin !== -1 && text.includes('}', begin + 2)
}
