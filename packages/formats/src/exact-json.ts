/**
 * JSON that preserves how numbers are written. `JSON.parse` converts them to doubles: `9007199254740993` becomes
 * another number, `1e-400` becomes 0, `1.0` becomes `1`. Here a number that JavaScript would print differently becomes
 * an `ExactNumber`; every other value is as from `JSON.parse`.
 */

declare global {
  interface JSON {
    /** ES2026: a primitive that `JSON.stringify` writes as this text. Node 20 and older browsers have none. */
    rawJSON?(text: string): object
  }
}

/** A number with its original text. Arithmetic uses the nearest double; `JSON.stringify` (without `rawJSON`, `writeExact` alone) writes the text. */
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

  toJSON(): unknown {
    return JSON.rawJSON ? JSON.rawJSON(this.text) : Number(this.text)
  }
}

/** The number in a text: a double if JavaScript prints it the same way, else an `ExactNumber`. */
export function exactNumber(text: string): number | ExactNumber {
  const double = Number(text)
  return String(double) === text ? double : new ExactNumber(text)
}

/** Either form of number as a double; null for anything else. For validation; stored values keep their text. */
export function asDouble(value: unknown): number | null {
  if (typeof value === 'number') return value
  return value instanceof ExactNumber ? Number(value.text) : null
}

/** Whether the value is a JSON object; an `ExactNumber` is a number. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

/** The value with all numbers as doubles, for validation. Copies only what changes. */
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

/**
 * `JSON.parse` that preserves how numbers are written; throws the same errors. Without such numbers it costs one extra
 * scan.
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!hasOddNumber(text)) return value
  try {
    return readKnownJson(text)
  } catch (error) {
    // Too deep for every validation rule, regardless of its numbers.
    if (error instanceof TooDeep) return value
    throw error
  }
}

/**
 * JSON of any value, with the numbers of `parseExact` as they were written; on one line, or indented by `spaces`. Throws
 * TypeError for what JSON cannot have. Where it is known that there is `rawJSON`, `JSON.stringify` does the same.
 */
export function writeExact(value: unknown, spaces?: number): string {
  const text = JSON.rawJSON ? JSON.stringify(value, null, spaces) : withoutRawJson(value, spaces)
  if (text === undefined) throw new TypeError('The value cannot be serialized as JSON.')
  return text
}

/** Each such number becomes a string with a mark that no other text has, and then the number. */
function withoutRawJson(value: unknown, spaces?: number): string | undefined {
  const mark = `number ${crypto.randomUUID()} `
  const marked = JSON.stringify(
    value,
    // A `toJSON` has run before this: the number itself is a member of what holds it.
    function marking(this: Record<string, unknown>, name: string, written: unknown) {
      const held = this[name]
      return held instanceof ExactNumber ? mark + held.text : written
    },
    spaces,
  ) as string | undefined
  return marked?.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), (_, number: string) => number)
}

class TooDeep extends Error {}

/** Ten times the depth limit of free-form values. */
const MAX_DEPTH = 1000

/** UTF-16 code units. */
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
/** In a number, or in `true`, `false` or `null`. */
const isInToken = (code: number) => isInNumber(code) || (code >= LOWER_A && code <= LOWER_Z)

/** Integers of up to this many digits are exact as doubles. */
const SAFE_DIGITS = 15

/** Whether the text contains a number that JavaScript would print differently. */
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

/** The index of the closing quote of the string at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((end - before) % 2 === 1) return end
  }
}

/**
 * Reads text that `JSON.parse` has accepted, so it checks no syntax. A `JSON.parse` reviver also gets the source of
 * numbers, but takes four times as long for lists of them.
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
  // A plain assignment would set the prototype.
  if (name === '__proto__')
    Object.defineProperty(members, name, { value, enumerable: true, writable: true, configurable: true })
  else members[name] = value
}
