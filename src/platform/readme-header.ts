/** The header of a README as data: one reader for cards and for those who want to know what is wrong with theirs. */
import { isJsonObject } from '@hub/formats/exact-json'
import { splitFrontMatter } from '@hub/formats/front-matter'
import { load, YAMLException } from 'js-yaml'
import { exactSchema } from './exact-yaml.ts'

/** A longer header is not read: of some, a parser takes time that grows faster than they do. */
export const MAX_HEADER_CHARACTERS = 128 * 1024

/** Of a header; what they expand to has limits of its own. */
const MAX_ALIASES = 1000

/** A reason of the parser quotes what it found. */
const MAX_REASON_CHARACTERS = 200

export interface HeaderReading {
  /** Numbers are `number`, `bigint` or `ExactNumber`; null without a header, and for an invalid one. */
  readonly members: Readonly<Record<string, unknown>> | null
  /** Why a header is invalid: a sentence. */
  readonly fault: string | null
  readonly isTooLong: boolean
}

const nothing: HeaderReading = { members: null, fault: null, isTooLong: false }
const broken = (fault: string): HeaderReading => ({ ...nothing, fault })

/** Reads the header of this README. Never throws, and of a header that is too long reads nothing. */
export function readHeader(readme: string): HeaderReading {
  const { header } = splitFrontMatter(readme)
  if (header === null || header.split('\n').every((line) => /^\s*(?:#|$)/.test(line))) return nothing
  if (header.length > MAX_HEADER_CHARACTERS) {
    const fault = `The header of README.md has more than ${MAX_HEADER_CHARACTERS} characters, and is not read.`
    return { members: null, fault, isTooLong: true }
  }
  try {
    const value = load(header, { schema: exactSchema, maxAliases: MAX_ALIASES })
    if (value == null) return nothing
    if (!isJsonObject(value)) return broken('The header of README.md is not a list of members such as `license: mit`.')
    return { ...nothing, members: value }
  } catch (error) {
    return broken(`The header of README.md is not YAML: ${placeOf(error)}.`)
  }
}

function placeOf(error: unknown): string {
  if (!(error instanceof YAMLException)) return 'it is too deep or too long'
  const reason = error.reason.slice(0, MAX_REASON_CHARACTERS).toWellFormed().replaceAll('\0', '\uFFFD')
  return `${reason} (line ${(error.mark?.line ?? 0) + 1} of the header)`
}
