/** TypeIDs: a prefix and a UUIDv7 in base32, so that ids sort by creation time. */
import { typeid } from 'typeid-js'

export const idPrefixes = [
  'user',
  'org',
  'key',
  'sess',
  'login',
  'link',
  'passkey',
  'repo',
  'blob',
  'upl',
  'aud',
  'run',
  'check',
  'led',
  'ep',
  'esess',
  'dev',
  'appr',
  'spend',
  'snap',
  'label',
  'roll',
  'film',
] as const

export type IdPrefix = (typeof idPrefixes)[number]

/** A new id such as `repo_01jd…`. */
export function newId(prefix: IdPrefix): string {
  return typeid(prefix).toString()
}

const suffix = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** Whether `id` is a well-formed id with this prefix. Saves a query for malformed ids. */
export function isId(prefix: IdPrefix, id: string): boolean {
  return id.startsWith(`${prefix}_`) && suffix.test(id.slice(prefix.length + 1))
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
/** The 48 bits of a UUIDv7's time: three in the first digit, five in each of the next nine. */
const TIME_DIGITS = 10

/** Creation time of an id, by the clock of the hub that created it. */
export function idTimeMs(id: string): number {
  const digits = id.slice(id.lastIndexOf('_') + 1).slice(0, TIME_DIGITS)
  return [...digits].reduce((time, digit) => time * 32 + DIGITS.indexOf(digit), 0)
}

/** Where the ids of a time begin: no id made at that time or later sorts before it, and each earlier one does. */
export function firstIdAt(prefix: IdPrefix, timeMs: number): string {
  let digits = ''
  for (let left = Math.min(Math.max(0, Math.floor(timeMs)), 2 ** 48 - 1); digits.length < TIME_DIGITS; ) {
    digits = `${DIGITS[left % 32]}${digits}`
    left = Math.floor(left / 32)
  }
  return `${prefix}_${digits}${'0'.repeat(16)}`
}
