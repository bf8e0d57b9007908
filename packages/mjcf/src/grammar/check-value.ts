import { KEYWORDS } from './keywords.ts'
import { ANY_COUNT, type ValueType } from './row.ts'
import { type NumberProblem, scanNumbers, short, wordsOf } from './values.ts'

export interface ValueFault {
  /** The rest of a sentence that begins with the attribute. */
  readonly message: string
  readonly hint?: string
}

const KINDS = { real: 'number', float: 'number', int: 'whole number' } as const

/** The fault of a value of this type, or null. */
export function valueFault(text: string, type: ValueType): ValueFault | null {
  switch (type.kind) {
    case 'text':
      return null
    case 'keyword':
      return KEYWORDS[type.set].includes(text)
        ? null
        : { message: `is ${quoted(text)}`, hint: `It is one of: ${KEYWORDS[type.set].join(', ')}.` }
    case 'flags':
      return flagsFault(wordsOf(text), KEYWORDS[type.set])
    case 'chars':
      return charsFault(text, type.least, type.most)
    case 'whole':
      return wholeFault(text)
    default:
      return numbersFault(text, type)
  }
}

/** Whether MuJoCo treats the value as absent. */
export function isAbsent(text: string, type: ValueType): boolean {
  return (
    (type.kind === 'real' || type.kind === 'float' || type.kind === 'int') && scanNumbers(text, type.kind).count === 0
  )
}

function numbersFault(text: string, type: Extract<ValueType, { kind: 'real' | 'float' | 'int' }>): ValueFault | null {
  const { count, problem } = scanNumbers(text, type.kind)
  if (problem !== null) return problemFault(problem, KINDS[type.kind])
  if (count === 0 || (count >= type.least && count <= type.most)) return null
  return { message: `has ${count} ${count === 1 ? 'number' : 'numbers'}, and takes ${countOf(type.least, type.most)}` }
}

function wholeFault(text: string): ValueFault | null {
  const { count, problem } = scanNumbers(text, 'int')
  if (problem !== null) return problemFault(problem, 'whole number')
  return count === 1 ? null : { message: count === 0 ? 'is empty' : `has ${count} numbers, and takes one` }
}

function problemFault({ reason, token }: NumberProblem, kind: string): ValueFault {
  if (reason === 'range') return { message: `has ${quoted(token)}, which is too large or too small to hold` }
  return {
    message: `has ${quoted(token)}, which is not a ${kind}`,
    ...(token.includes(',') && { hint: 'Numbers are separated by blanks.' }),
  }
}

function countOf(least: number, most: number): string {
  if (least === most) return `exactly ${least}`
  return most === ANY_COUNT ? `at least ${least}` : `${least} to ${most}`
}

function flagsFault(words: readonly string[], known: readonly string[]): ValueFault | null {
  const unknown = words.find((word) => !known.includes(word))
  if (unknown !== undefined) return { message: `has ${quoted(unknown)}`, hint: `Its words are: ${known.join(', ')}.` }
  const repeated = words.find((word, i) => words.indexOf(word) < i)
  return repeated === undefined ? null : { message: `has ${quoted(repeated)} twice` }
}

function charsFault(text: string, least: number, most: number): ValueFault | null {
  const bytes = new TextEncoder().encode(text).length
  if (least === most && bytes !== most) return { message: `is ${quoted(text)}, and takes exactly ${most} characters` }
  return bytes > most ? { message: `is ${quoted(text)}, and takes at most ${most} characters` } : null
}

function quoted(text: string): string {
  return `"${short(text)}"`
}
