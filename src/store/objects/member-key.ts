/** Keys of objects that are written together: numbers under the key of their group. */

/** Of one group: the table of a pack is read whole by a deletion, 32 bytes of each. */
export const MOST_TOGETHER = 10_000

const shape = /^(.+)\/(0|[1-9]\d{0,3})$/

/** The key of a group's object, counted from 0. */
export const memberKey = (group: string, index: number): string => `${group}/${index}`

/** The group and the number that a key may be of; null for all others. An object of its own may have such a key too. */
export function memberOf(key: string): { readonly group: string; readonly index: number } | null {
  const [, group, index] = shape.exec(key) ?? []
  return group === undefined || index === undefined ? null : { group, index: Number(index) }
}
