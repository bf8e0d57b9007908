/** Parses the YAML of a resolved config. Input is untrusted: it must not make parsing slow, large or throw. */

import { defineMappingTag, defineScalarTag, defineSequenceTag, loadAll, mapTag, YAMLException } from 'js-yaml'
import { exactSchema } from '../../platform/exact-yaml.ts'
import { type ConfigReading, leavesOf } from './config-leaf.ts'

/** Bounds the parser's bookkeeping; the expanded size has its own limit. */
const MAX_ALIASES = 10_000

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
  let documents: unknown[]
  try {
    documents = loadAll(text, { schema, json: true, maxAliases: MAX_ALIASES })
  } catch (error) {
    return { fault: `The config is not valid YAML: ${placeOf(error)}.` }
  }
  const [root, ...more] = documents
  if (more.length > 0) return { fault: 'The config is more than one YAML document.' }
  if (root === null || root === undefined) return { fault: 'The config is empty.' }
  if (typeof root !== 'object') return { fault: 'The config is neither a map nor a list.' }
  return Object.keys(root).length === 0 ? { fault: 'The config is empty.' } : leavesOf(root)
}

function placeOf(error: unknown): string {
  if (!(error instanceof YAMLException)) return 'it is too deep or too long'
  const place = error.mark ? ` (line ${error.mark.line + 1}, column ${error.mark.column + 1})` : ''
  return `${error.reason.slice(0, 200).toWellFormed()}${place}`
}
