/** A resolved config as a list of leaves: each scalar value with its path. Pure. Contract, "Configs". */
import { canonicalText } from '../../platform/canonical-hash.ts'
import { ExactNumber } from '../../platform/exact-json.ts'

export interface ConfigLeaf {
  readonly path: string
  /** A text as it is, any other value as JSON. */
  readonly text: string
  /** Whether the value is a string: `1` and `"1"` have the same text but differ. */
  readonly isText: boolean
  /** False for unresolved values (`${…}`, `???`): they equal nothing, not even themselves. */
  readonly known: boolean
}

/** Or one sentence that says why there are none. */
export type ConfigReading = { readonly leaves: readonly ConfigLeaf[] } | { readonly fault: string }

/** Ten times what the largest simulators write. An alias can make a page of text a billion leaves. */
const MAX_LEAVES = 20_000
/** All paths together, and all values: a key of 100 KB over a thousand leaves, or a thousand aliases of such a text, would be 100 MB of work. */
const MAX_PATH_CHARACTERS = 1024 * 1024
const MAX_TEXT_CHARACTERS = 2 * 1024 * 1024
/** As the YAML reader; aliases can go deeper than the text. */
const MAX_DEPTH = 100
const TOO_DEEP = `The config has more than ${MAX_DEPTH} levels, or contains itself.`

/** The leaves of a value as YAML or JSON gives it, in the document's order; none of an empty map or list. */
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
    // Detects cycles at once: a hundred rounds would each list the whole content.
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

/** `.name`, `["a.b"]` or `[0]`, and what it leads to; none in an empty map or list. One at a time: a list may have half a million. */
function* stepsInto(value: object): Generator<readonly [step: string, inner: unknown], void> {
  if (Array.isArray(value)) for (const [place, inner] of value.entries()) yield [`[${place}]`, inner]
  else for (const key of Object.keys(value)) yield [stepOf(key), (value as Readonly<Record<string, unknown>>)[key]]
}

const stepOf = (key: string) => (key === '' || /[.[\]]/.test(key) ? `[${JSON.stringify(key)}]` : `.${key}`)

function toLeaf(value: unknown, path: string): ConfigLeaf {
  const isText = typeof value === 'string'
  return { path, text: isText ? value : rendered(value), isText, known: !(isText && isUnresolved(value)) }
}

/** Canonical JSON, in which a number has one spelling, and YAML's words for the numbers that JSON has none for. */
function rendered(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf'
  }
  return value instanceof ExactNumber ? canonicalText(value) : (JSON.stringify(value) ?? 'null')
}

/** An interpolation that was left as it was, and the word for a value that is still missing. */
function isUnresolved(text: string): boolean {
  if (text === '???') return true
  // By hand: a pattern would look for the end of each of a hundred thousand beginnings.
  const begin = text.indexOf('${')
  return begin !== -1 && text.includes('}', begin + 2)
}
