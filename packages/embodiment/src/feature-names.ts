/** Names of the numbers of a LeRobot feature, in the spellings that its versions have. */
import { isObject } from './json.ts'

/** A list of names, or such a list below one key (`motors`), or names with their places. */
export function namesOf(names: unknown): string[] {
  if (Array.isArray(names)) return names.flat(3).map(String)
  if (!isObject(names)) return []
  const values = Object.values(names)
  if (values.every((value) => typeof value === 'number')) {
    const found: string[] = []
    for (const [name, at] of Object.entries(names)) found[Number(at)] = name
    return found
  }
  return values.flatMap(namesOf)
}
