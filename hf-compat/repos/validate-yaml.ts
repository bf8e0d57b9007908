/** What a README says about itself before its text: YAML between two lines of three hyphens. */
import { load, YAMLException } from 'js-yaml'

/** The part between the first two lines of three hyphens. */
const FRONT_MATTER = /^(?:\uFEFF)?---[ \t]*\r?\n([\s\S]*?)\r?\n?^---[ \t]*$/m

/** A longer header is not read: of some, a parser takes time that grows faster than they do. */
export const MAX_HEADER_CHARACTERS = 128 * 1024

/** Whether the header of this README is too long to be checked. */
export const isUnchecked = (content: string): boolean =>
  (FRONT_MATTER.exec(content)?.[1] ?? '').length > MAX_HEADER_CHARACTERS

/** Why the header of this README is no good; null if it is, or if there is none, or if it is too long to be checked. */
export function yamlFault(content: string): string | null {
  const [, yaml = ''] = FRONT_MATTER.exec(content) ?? []
  if (yaml.trim() === '' || yaml.length > MAX_HEADER_CHARACTERS) return null
  try {
    const header = load(yaml)
    const isMembers = typeof header === 'object' && header !== null && !Array.isArray(header)
    return header == null || isMembers ? null : 'The header of README.md is no list of members such as `license: mit`.'
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    return `The header of README.md is not YAML: ${error.reason} (line ${(error.mark?.line ?? 0) + 1} of the header).`
  }
}
