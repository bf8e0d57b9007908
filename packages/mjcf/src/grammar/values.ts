/**
 * Attribute values as MuJoCo parses them: C's `strtod`, `strtof` and `strtol` over tokens between white space. So
 * hexadecimal floats, `inf` and `nan` are numbers, `1,2` and `1e` are not, and a number too large or too small for its
 * type is rejected.
 */

export type NumberKind = 'real' | 'float' | 'int'

/** Why a list of numbers cannot be parsed: a token that is not a number, or one out of range. */
export interface NumberProblem {
  readonly reason: 'format' | 'range'
  readonly token: string
}

export interface NumberScan {
  /** Count of numbers before the end or the problem. */
  readonly count: number
  readonly problem: NumberProblem | null
}

/** White space of the C locale: excludes no-break spaces. */
const BLANKS = /[ \t\n\v\f\r]+/
// unambiguous patterns, so that a million digits and a letter fail without backtracking
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const HEXADECIMAL = /^([+-]?)0[xX]([\da-fA-F]*)(?:\.([\da-fA-F]*))?(?:[pP]([+-]?\d+))?$/
const NOT_FINITE = /^[+-]?(?:inf(?:inity)?|nan(?:\(\w*\))?)$/i
const INTEGER = /^[+-]?\d+$/
const MAX_INT = 2_147_483_647

/** Scans a list of numbers without storing them: vertex lists can have millions. */
export function scanNumbers(text: string, kind: NumberKind): NumberScan {
  return eachNumber(text, kind, () => {})
}

/** The numbers of a list; null if one cannot be parsed; empty for empty text. */
export function readNumbers(text: string, kind: NumberKind = 'real'): number[] | null {
  const numbers: number[] = []
  const { problem } = eachNumber(text, kind, (start, end) => numbers.push(numberOf(text.slice(start, end), kind)))
  return problem === null ? numbers : null
}

/** Iterates tokens by character, to avoid millions of strings. */
function eachNumber(text: string, kind: NumberKind, visit: (start: number, end: number) => void): NumberScan {
  let count = 0
  let end = 0
  for (;;) {
    let start = end
    while (start < text.length && isBlank(text.charCodeAt(start))) start += 1
    if (start === text.length) return { count, problem: null }
    end = start
    while (end < text.length && !isBlank(text.charCodeAt(end))) end += 1
    if (!isPlain(text, start, end, kind)) {
      const token = text.slice(start, end)
      const reason = problemOf(token, kind)
      if (reason !== null) return { count, problem: { reason, token } }
    }
    visit(start, end)
    count += 1
  }
}

/** As `BLANKS`: a space, or a tab to a carriage return. */
function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

/** Decimals this short and without an exponent are in the range of their type whatever their digits. */
const PLAIN_LENGTH = { real: 30, float: 30, int: 9 }

/** Whether a token is such a decimal: a sign, digits, and a point among them where the type has one. */
function isPlain(text: string, start: number, end: number, kind: NumberKind): boolean {
  if (end - start > PLAIN_LENGTH[kind]) return false
  const sign = text.charCodeAt(start)
  let digits = 0
  let points = 0
  for (let i = sign === 43 || sign === 45 ? start + 1 : start; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code >= 48 && code <= 57) digits += 1
    else if (code === 46) points += 1
    else return false
  }
  return digits > 0 && points <= (kind === 'int' ? 0 : 1)
}

/** A single number; null if there is none, more than one, or a non-number. */
export function readNumber(text: string, kind: NumberKind = 'real'): number | null {
  const numbers = readNumbers(text, kind)
  return numbers?.length === 1 ? (numbers[0] ?? null) : null
}

/** The words of a list of names or keywords. */
export function wordsOf(text: string): string[] {
  return text.split(BLANKS).filter((word) => word !== '')
}

function problemOf(token: string, kind: NumberKind): NumberProblem['reason'] | null {
  if (kind === 'int') {
    if (!INTEGER.test(token)) return 'format'
    const value = Number(token)
    return value > MAX_INT || value < -MAX_INT - 1 ? 'range' : null
  }
  if (NOT_FINITE.test(token)) return null
  if (DECIMAL.test(token)) {
    const zero = !/[1-9]/.test(token.replace(/e.*/i, ''))
    return !zero && outOfRange(Number(token), kind, LEAST[kind]) ? 'range' : null
  }
  const value = hexadecimalOf(token)
  if (value === null) return 'format'
  return value.mantissa !== 0n && outOfRange(value.number, kind, Number.MIN_VALUE) ? 'range' : null
}

/**
 * The smallest positive numbers with full precision. A smaller decimal is rejected; a hexadecimal number only if it
 * becomes zero.
 */
const LEAST = { real: 2.2250738585072014e-308, float: 1.1754943508222875e-38 }

function outOfRange(value: number, kind: 'real' | 'float', least: number): boolean {
  const held = Math.abs(kind === 'float' ? Math.fround(value) : value)
  return held < least || held === Number.POSITIVE_INFINITY
}

function hexadecimalOf(token: string): { mantissa: bigint; number: number } | null {
  const match = HEXADECIMAL.exec(token)
  if (match === null) return null
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  if (`${whole}${fraction}` === '') return null
  const mantissa = BigInt(`0x${whole}${fraction}`)
  const scale = Number(exponent) - 4 * fraction.length
  const half = Math.trunc(scale / 2)
  // in two steps, since 2 to the scale may be out of range although the product is not
  const size = mantissa === 0n ? 0 : Number(mantissa) * 2 ** half * 2 ** (scale - half)
  return { mantissa, number: sign === '-' ? -size : size }
}

function numberOf(token: string, kind: NumberKind): number {
  if (/nan/i.test(token)) return Number.NaN
  if (/inf/i.test(token)) return token.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  const value = DECIMAL.test(token) ? Number(token) : (hexadecimalOf(token)?.number ?? Number.NaN)
  return kind === 'float' ? Math.fround(value) : value
}

/** Long enough to recognize a value, short enough for a message. */
const MAX_SHOWN = 60

/** Truncates a long text. */
export function short(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
