/** Names of the numbers of a LeRobot feature, in the spellings that its versions have. */
import { isObject } from './json.ts'

/** A list of names, or such a list below one key (`motors`), or names with their places. */
export function namesOf(names: unknown): string[] {
  if (Array.isArray(names)) return names.flat(3).map(String)
  if (!isObject(names)) return []
  const values = Object.values(names)
  if (values.every((value) => typeof value === 'number')) {
    const entries = Object.entries(names)
    // A place far off would make a list of a billion gaps of one name.
    if (entries.some(([, at]) => !Number.isInteger(at) || Number(at) < 0 || Number(at) >= entries.length)) return []
    const found: string[] = []
    for (const [name, at] of entries) found[Number(at)] = name
    return found
  }
  return values.flatMap(namesOf)
}
