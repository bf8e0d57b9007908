/** User codes: eight letters that a person compares with a terminal, or types. */
import { randomInt } from 'node:crypto'

/**
 * Consonants only, as RFC 8628 proposes (section 6.1): no letter is mistaken for a digit, and no code is a word. 20^8
 * codes.
 */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
const shape = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)

/** A new code as it is stored, without its hyphen. */
export function newUserCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
}

/** The code as a person reads it: `WDJB-MJHT`. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/**
 * The code that a person typed, in any letter case and with any spaces and hyphens; null if the text cannot be a code.
 */
export function readUserCode(text: string): string | null {
  const code = text.replace(/[\s-]/g, '').toUpperCase()
  return shape.test(code) ? code : null
}
