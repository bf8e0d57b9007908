/**
 * JSON whose numbers keep their spelling. `JSON.parse` makes doubles of them: `9007199254740993` becomes another number, `1e-400` nothing, `1.0` loses what it
 * says. Here a number that JavaScript would write in another way is an `ExactNumber`; every other value is what `JSON.parse` makes of it.
 */

declare global {
  interface JSON {
    /** Of ES2026: stands for a primitive that `JSON.stringify` writes as this text. */
    rawJSON(text: string): object
  }
}

/** A number as it was written. Arithmetic takes its nearest double; `JSON.stringify` writes the text. */
export class ExactNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  valueOf(): number {
    return Number(this.text)
  }

  toString(): string {
    return this.text
  }

  toJSON(): object {
    return JSON.rawJSON(this.text)
  }
}

/** What a number's text stands for: a double where JavaScript would write it the same way. */
export function exactNumber(text: string): number | ExactNumber {
  const double = Number(text)
  return String(double) === text ? double : new ExactNumber(text)
}

/** The double of a number in either form; null for what is none. For rules that read one: what is kept stays as it was written. */
export function asDouble(value: unknown): number | null {
  if (typeof value === 'number') return value
  return value instanceof ExactNumber ? Number(value.text) : null
}

/** What JSON calls an object; an `ExactNumber` is a number. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

/** The value with doubles for all its numbers, for rules that judge it. What needs no change is not copied. */
export function withDoubles(value: unknown): unknown {
  if (value instanceof ExactNumber) return Number(value.text)
  if (Array.isArray(value)) {
    const items = value.map(withDoubles)
    return items.some((item, place) => item !== value[place]) ? items : value
  }
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, member, withDoubles(member)] as const)
  if (members.every(([, before, after]) => before === after)) return value
  return Object.fromEntries(members.map(([name, , after]) => [name, after]))
}

/** `JSON.parse` that keeps the spelling of numbers; it throws what that throws. Text without a number to keep costs one look over it more. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!hasOddNumber(text)) return value
  try {
    return readKnownJson(text)
  } catch (error) {
    // No rule of the hub takes so many levels, whatever the numbers in them are.
    if (error instanceof TooDeep) return value
    throw error
  }
}

class TooDeep extends Error {}

/** Ten times what any free-form value may have. */
const MAX_DEPTH = 1000

/** Code units. */
const SPACE = 32
const QUOTE = 34
const PLUS = 43
const COMMA = 44
const MINUS = 45
const DOT = 46
const ZERO = 48
const NINE = 57
const UPPER_E = 69
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const LOWER_A = 97
const LOWER_E = 101
const LOWER_Z = 122
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

const isDigit = (code: number) => code >= ZERO && code <= NINE
const isInNumber = (code: number) =>
  isDigit(code) || code === DOT || code === MINUS || code === PLUS || code === LOWER_E || code === UPPER_E
/** Of a number, or of `true`, `false` and `null`. */
const isInToken = (code: number) => isInNumber(code) || (code >= LOWER_A && code <= LOWER_Z)

/** Integers of so many digits are doubles that say the same. */
const SAFE_DIGITS = 15

/** Whether a number of this JSON text is written in another way than JavaScript would. */
function hasOddNumber(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (isDigit(code) || code === MINUS) {
      const start = at
      while (isDigit(text.charCodeAt(at + 1))) at += 1
      const isPlain = isDigit(code) && at - start < SAFE_DIGITS && !isInNumber(text.charCodeAt(at + 1))
      if (isPlain) continue
      while (isInNumber(text.charCodeAt(at + 1))) at += 1
      const number = text.slice(start, at + 1)
      if (String(Number(number)) !== number) return true
    }
  }
  return false
}

/** The place of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((end - before) % 2 === 1) return end
  }
}

/**
 * Reads text that `JSON.parse` has taken, so nothing is left to refuse. A reviver of `JSON.parse` is told the source of numbers too, and takes four times as
 * long for lists of them.
 */
function readKnownJson(text: string): unknown {
  let at = 0
  const skipSpace = (): number => {
    let code = text.charCodeAt(at)
    while (code <= SPACE) code = text.charCodeAt(++at)
    return code
  }
  const readString = (): string => {
    const end = endOfString(text, at)
    const inner = text.slice(at + 1, end)
    const value = inner.includes('\\') ? (JSON.parse(text.slice(at, end + 1)) as string) : inner
    at = end + 1
    return value
  }
  const readObject = (depth: number): Record<string, unknown> => {
    const members: Record<string, unknown> = {}
    at += 1
    for (let next = skipSpace(); next !== CLOSE_BRACE; next = skipSpace()) {
      if (next === COMMA) {
        at += 1
        skipSpace()
      }
      const name = readString()
      skipSpace()
      at += 1
      setMember(members, name, readValue(depth + 1))
    }
    at += 1
    return members
  }
  const readArray = (depth: number): unknown[] => {
    const items: unknown[] = []
    at += 1
    for (let next = skipSpace(); next !== CLOSE_BRACKET; next = skipSpace()) {
      if (next === COMMA) at += 1
      items.push(readValue(depth + 1))
    }
    at += 1
    return items
  }
  const readValue = (depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new TooDeep()
    const first = skipSpace()
    if (first === OPEN_BRACE) return readObject(depth)
    if (first === OPEN_BRACKET) return readArray(depth)
    if (first === QUOTE) return readString()
    const start = at
    while (isInToken(text.charCodeAt(at))) at += 1
    const token = text.slice(start, at)
    if (token === 'null') return null
    return token === 'true' || token === 'false' ? token === 'true' : exactNumber(token)
  }
  return readValue(0)
}

function setMember(members: Record<string, unknown>, name: string, value: unknown): void {
  // Assigned, it would become the object's prototype.
  if (name === '__proto__')
    Object.defineProperty(members, name, { value, enumerable: true, writable: true, configurable: true })
  else members[name] = value
}
