/** Parses the YAML of a resolved config. Input is untrusted: it must not make parsing slow, large or throw. */

import { defineMappingTag, defineScalarTag, defineSequenceTag, loadAll, mapTag, YAMLException } from 'js-yaml'
import { exactSchema } from '../../platform/exact-yaml.ts'
import { type ConfigReading, leavesOf } from './config-leaf.ts'

/** Bounds the parser's bookkeeping; the expanded size has its own limit. */
const MAX_ALIASES = 10_000

/**
 * What the parser makes a node or a line of: some 1.5 µs of processor time for each, in one piece. A config of as many
 * values as are compared has fewer, unless its texts are made of them.
 */
const MAX_MARKS = 100_000
const mark = /[,[{\n]|[-:?](?=\s)/g
/** Where a document begins, wherever it stands in a line of its own. */
const documentStart = /^---(?=\s|$)/gm

/** Python dumps contain class tags (`!!python/tuple`): the tag is ignored and the content is used. */
const anyTag = ['!', 'tag:'].flatMap((prefix) => [
  defineScalarTag<string>(prefix, { matchByTagPrefix: true, resolve: (source) => source, identify: () => false }),
  defineSequenceTag<unknown[]>(prefix, {
    matchByTagPrefix: true,
    create: () => [],
    addItem: (items, item) => {
      items.push(item)
    },
    identify: () => false,
  }),
  defineMappingTag(prefix, {
    matchByTagPrefix: true,
    create: mapTag.create,
    addPair: mapTag.addPair,
    has: mapTag.has,
    keys: mapTag.keys,
    get: mapTag.get,
    identify: () => false,
  }),
])

const schema = exactSchema.withTags(...anyTag)

/** The leaves of a config's text. The last value of a duplicate key wins, as in the trainers' own parser. */
export function readConfig(text: string): ConfigReading {
  if (hasMore(text, documentStart, 1)) return several
  if (hasMore(text, mark, MAX_MARKS))
    return { fault: `The config has more than ${MAX_MARKS} lines, commas and brackets: too many to compare.` }
  let documents: unknown[]
  try {
    documents = loadAll(text, { schema, json: true, maxAliases: MAX_ALIASES })
  } catch (error) {
    return { fault: `The config is not valid YAML: ${placeOf(error)}.` }
  }
  const [root, ...more] = documents
  if (more.length > 0) return several
  if (root === null || root === undefined) return { fault: 'The config is empty.' }
  if (typeof root !== 'object') return { fault: 'The config is neither a map nor a list.' }
  return Object.keys(root).length === 0 ? { fault: 'The config is empty.' } : leavesOf(root)
}

const several = { fault: 'The config is more than one YAML document.' }

/** Ends at the first that is too many, and makes no list of them. */
function hasMore(text: string, pattern: RegExp, most: number): boolean {
  pattern.lastIndex = 0
  for (let found = 0; pattern.test(text); found += 1) if (found === most) return true
  return false
}

function placeOf(error: unknown): string {
  if (!(error instanceof YAMLException)) return 'it is too deep or too long'
  const place = error.mark ? ` (line ${error.mark.line + 1}, column ${error.mark.column + 1})` : ''
  return `${error.reason.slice(0, 200).toWellFormed()}${place}`
}
