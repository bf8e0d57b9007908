/** The types of the grammar tables, and their notation. */
import type { ElementCheck } from './element-checks.ts'
import { KEYWORDS, type KeywordSet } from './keywords.ts'

/** How the value of an attribute is read. */
export type ValueType =
  /** Any text: names, paths, and values checked elsewhere or not at all. */
  | { readonly kind: 'text' }
  /** Numbers separated by white space; an empty list counts as an absent attribute. */
  | { readonly kind: 'real' | 'float' | 'int'; readonly least: number; readonly most: number }
  /** One whole number; unlike `int`, an empty value is rejected. */
  | { readonly kind: 'whole' }
  /** Exactly one word of a set, without blanks around it. */
  | { readonly kind: 'keyword'; readonly set: KeywordSet }
  /** Any number of different words of a set. */
  | { readonly kind: 'flags'; readonly set: KeywordSet }
  /** Bytes of text. */
  | { readonly kind: 'chars'; readonly least: number; readonly most: number }

export interface Attribute {
  readonly type: ValueType
  readonly required: boolean
}

/**
 * Constraints between attributes of one element. A bundle is a list of attributes. `exclusive`: at most one bundle has
 * a member present; `together`: all members of all bundles or none; `oneOf`: at least one bundle is complete.
 */
export interface Constraint {
  readonly kind: 'exclusive' | 'together' | 'oneOf'
  readonly bundles: readonly (readonly string[])[]
}

interface Child {
  readonly row: Row
  /** Whether it may occur only once. */
  readonly once: boolean
}

/** An element in one context: `joint` in a body and `joint` in a tendon are two rows. */
export interface Row {
  readonly attributes: ReadonlyMap<string, Attribute>
  readonly constraints: readonly Constraint[]
  /** Further checks of its attributes. */
  readonly checks: readonly ElementCheck[]
  /** By element name. */
  readonly children: ReadonlyMap<string, Child>
}

/** No upper limit on the count of numbers. */
export const ANY_COUNT = Number.POSITIVE_INFINITY

/**
 * A row of the table. `attributes` is a list of `name=type`, separated by white space; a name alone is text, `!` at the
 * end means required. Types: `real` (double), `float`, `int`, each with `[3]` for exactly three, `[1-3]` for one to
 * three, `[]` for any number; `whole`; `bool`; `chars[3]`; `<set>` for a keyword; `<set>[]` for flags. `children` is by
 * element name; a name with `?` may occur once. `constraints` is one line each: `exclusive a b+c`, where `b+c` is a
 * bundle.
 */
export function row(
  attributes: string,
  children: Record<string, Row> = {},
  constraints: readonly string[] = [],
  checks: readonly ElementCheck[] = [],
): Row {
  return {
    attributes: new Map(words(attributes).map(attributeOf)),
    constraints: constraints.map(constraintOf),
    checks,
    children: new Map(Object.entries(children).map(childOf)),
  }
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

function attributeOf(notation: string): [string, Attribute] {
  const required = notation.endsWith('!')
  const [name = '', type = ''] = (required ? notation.slice(0, -1) : notation).split('=')
  return [name, { type: typeOf(type), required }]
}

const TYPE = /^(?:(real|float|int|chars)(?:\[(?:(\d+)(?:-(\d+))?)?\])?|<(\w+)>(\[\])?|(whole|bool)|)$/

function typeOf(notation: string): ValueType {
  const match = TYPE.exec(notation)
  if (match === null) throw new Error(`Unknown type of attribute: ${notation}`)
  const [, numbers, least, most, set, flags, word] = match
  if (numbers !== undefined) {
    const [low, high] = notation.endsWith('[]') ? [0, ANY_COUNT] : [Number(least ?? 1), Number(most ?? least ?? 1)]
    return { kind: numbers as 'real' | 'float' | 'int' | 'chars', least: low, most: high }
  }
  if (word === 'bool') return { kind: 'keyword', set: 'bool' }
  if (word === 'whole') return { kind: 'whole' }
  if (set === undefined) return { kind: 'text' }
  if (!(set in KEYWORDS)) throw new Error(`Unknown keyword set: ${set}`)
  return { kind: flags === undefined ? 'keyword' : 'flags', set: set as KeywordSet }
}

function childOf([name, child]: [string, Row]): [string, Child] {
  const once = name.endsWith('?')
  return [once ? name.slice(0, -1) : name, { row: child, once }]
}

function constraintOf(notation: string): Constraint {
  const [kind, ...bundles] = words(notation)
  return { kind: kind as Constraint['kind'], bundles: bundles.map((bundle) => bundle.split('+')) }
}
