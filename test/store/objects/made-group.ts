/** Objects that are written together in tests of crashes: each one's bytes follow from its place. */
import { createHash } from 'node:crypto'

export const MEMBERS = 40

/** The numbers of those that are deleted: the larger ones, so that most of the pack is dead afterwards. */
export const odd = Array.from({ length: MEMBERS / 2 }, (_, at) => 2 * at + 1)

/** Thirty times as many bytes for an odd number. */
export function bytesOfMember(group: string, index: number): Buffer {
  const digest = createHash('sha256').update(`${group} ${index}`).digest()
  return Buffer.concat(Array.from({ length: index % 2 ? 300 : 10 }, () => digest))
}
