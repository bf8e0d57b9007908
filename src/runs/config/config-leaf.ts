/** A resolved config as a list of leaves: each value that is no map and no list, under the path that leads to it. Pure. Contract, "Config". */

export interface ConfigLeaf {
  readonly path: string
  /** A text as it is, any other value as JSON. */
  readonly text: string
  /** Whether the value is a text: `1` and `"1"` read alike and differ. */
  readonly isText: boolean
  /** False for what is still to be resolved (`${…}`, `???`): it is no value, so it equals nothing, not even itself. */
  readonly known: boolean
}

/** Or one sentence that says why there are none. */
export type ConfigReading = { readonly leaves: readonly ConfigLeaf[] } | { readonly fault: string }

/** Ten times what the largest simulators write. An alias can make a page of text a billion leaves. */
const MAX_LEAVES = 20_000
/** All paths together: a key of 100 KB over a thousand leaves would make 100 MB of an answer. */
const MAX_PATH_CHARACTERS = 4 * 1024 * 1024
/** As the YAML reader; aliases can go deeper than the text, or around in a circle. */
const MAX_DEPTH = 100

/** The leaves of a value as YAML or JSON gives it, in the document's order; none of an empty map or list. */
export function leavesOf(root: unknown): ConfigReading {
  const leaves: ConfigLeaf[] = []
  let pathCharacters = 0

  const visit = (value: unknown, path: string, depth: number): string | null => {
    const steps = stepsInto(value)
    if (steps.length === 0 && depth === 0 && typeof value === 'object' && value !== null) return null
    if (steps.length === 0) {
      pathCharacters += path.length
      if (leaves.length === MAX_LEAVES) return `The config has more than ${MAX_LEAVES} values, aliases written out.`
      if (pathCharacters > MAX_PATH_CHARACTERS) return 'The keys of the config are too long.'
      leaves.push(toLeaf(value, path))
      return null
    }
    if (depth === MAX_DEPTH) return `The config has more than ${MAX_DEPTH} levels, or contains itself.`
    for (const [step, inner] of steps) {
      const fault = visit(inner, path + (path === '' && step.startsWith('.') ? step.slice(1) : step), depth + 1)
      if (fault !== null) return fault
    }
    return null
  }

  const fault = visit(root, '', 0)
  return fault === null ? { leaves } : { fault }
}

/** `.name`, `["a.b"]` or `[0]`, and what it leads to; empty for a leaf, and for a map or list that is empty. */
function stepsInto(value: unknown): (readonly [step: string, inner: unknown])[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.map((inner, place) => [`[${place}]`, inner])
  return Object.entries(value).map(([key, inner]) => [stepOf(key), inner])
}

const stepOf = (key: string) => (key === '' || /[.[\]]/.test(key) ? `[${JSON.stringify(key)}]` : `.${key}`)

function toLeaf(value: unknown, path: string): ConfigLeaf {
  const isText = typeof value === 'string'
  return { path, text: isText ? value : rendered(value), isText, known: !(isText && isUnresolved(value)) }
}

/** JSON, and YAML's words for the numbers that JSON has none for. */
function rendered(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf'
  }
  return JSON.stringify(value) ?? 'null'
}

/** An interpolation that was left as it was, and the word for a value that is still missing. */
const isUnresolved = (text: string) => text === '???' || /\$\{[^}]*\}/.test(text)
