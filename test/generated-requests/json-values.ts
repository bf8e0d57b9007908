/** Values of a JSON schema: valid ones, those at its edges, and broken ones. */
import { resolved, type Schema } from '../support/documented.ts'
import type { Dice } from './dice.ts'

/** `edge`: at a limit or just past it, empty, longest, or of characters and numbers that are seldom met. */
export type Kind = 'valid' | 'edge' | 'broken'

/** What a member of this name has where the schema says little of it: ids, names and digests of things that are there. Undefined: anything of its schema. */
export type Known = (name: string, dice: Dice) => unknown

const words = ['a', 'base', 'arm', 'left-knee', 'v1.2', 'policy', 'walk the dog', 'Größe', '日本語', 'e\u0301', '🤖']
const oddTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\u202egnp.exe',
  '\ufeff',
  '\u2028',
  '../../etc/passwd',
  '.git/config',
  "'; drop table repos; --",
  '%00',
  '%',
  '__proto__',
  'constructor',
  '<script>alert(1)</script>',
  '{"$ne":null}',
  'null',
  'a\r\nb: c',
  '🤖'.repeat(70),
  'x'.repeat(300),
  'x'.repeat(5000),
  'svc://nobody/nothing',
  '2026-02-30T00:00:00Z',
  'run_00000000000000000000000000',
]
const oddNumbers = [0, -0, -1, 1, 0.5, 1e-320, 1e308, -1e308, 2 ** 31, 2 ** 53, -(2 ** 53), 1.0000000000000002]
/** Written as they are: JSON.stringify has no such numbers. */
const writtenNumbers = ['1e400', '-1e400', '9007199254740993', '1e-400', '-0', '1.0', '1E5', `1${'0'.repeat(1001)}`]

/** JSON that no value of the language has: numbers as they are written, members written twice. `jsonText` writes it. */
export const written = (text: string): string => `@@${Buffer.from(text).toString('base64')}@@`

/** JSON with what is to be written as it is. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(/"@@([\w+/=]*)@@"/g, (_, text) => Buffer.from(text, 'base64').toString())

const deep = (levels: number): string => written(`${'['.repeat(levels)}${']'.repeat(levels)}`)

interface Rules {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly multipleOf?: number
  readonly pattern?: string
  readonly format?: string
}

/** Makes a value. With `kind` edge or broken one place in it is so, and the rest is valid. */
export function madeValue(schema: Schema, kind: Kind, dice: Dice, known: Known, name = '', depth = 0): unknown {
  const rules = resolved(schema) as Rules
  if (kind === 'broken' && dice.chance(depth === 0 ? 0.1 : 0.5)) return brokenOf(rules, dice)
  const given = kind === 'valid' || dice.chance(0.3) ? known(name, dice) : undefined
  if (given !== undefined) return given
  if (rules.enum && !(kind === 'edge' && dice.chance(0.2))) return dice.pick(rules.enum)
  if (rules.anyOf && !rules.properties) return madeValue(dice.pick(rules.anyOf), kind, dice, known, name, depth)
  const types = [rules.type ?? 'any'].flat()
  const type = types.length > 1 && dice.chance(0.8) ? types[0] : dice.pick(types)
  switch (type) {
    case 'object':
      return objectOf(rules, kind, dice, known, depth)
    case 'array':
      return listOf(rules, kind, dice, known, name, depth)
    case 'string':
      return textOf(rules, kind, dice)
    case 'integer':
    case 'number':
      return numberOf(rules, type, kind, dice)
    case 'boolean':
      return dice.chance(0.5)
    case 'null':
      return null
    default:
      return anyJson(kind, dice)
  }
}

function objectOf(rules: Rules, kind: Kind, dice: Dice, known: Known, depth: number): unknown {
  const { properties = {}, required = [], additionalProperties } = rules
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  const share = dice.pick([0, 0.2, 0.5, 0.9]) / (depth + 1)
  const names = [...required, ...dice.some(optional, share)]
  const odd = dice.below(Math.max(1, names.length))
  const entries = names.map((name, at) => {
    const inner = kind !== 'valid' && at === odd ? kind : 'valid'
    return [name, madeValue(properties[name] ?? {}, inner, dice, known, name, depth + 1)] as const
  })
  if (additionalProperties !== undefined && additionalProperties !== false && dice.chance(0.5))
    for (let at = dice.below(4); at > 0; at -= 1)
      entries.push([dice.pick(words), anyJson(kind === 'broken' ? 'edge' : kind, dice)])
  if (kind === 'broken' && dice.chance(0.3)) {
    const change = dice.below(3)
    if (change === 0 && required.length > 0) entries.splice(dice.below(required.length), 1)
    else if (change === 1) entries.push([dice.pick(['unknown', 'Id', 'x', '', 'constructor', '\ud800']), 1])
    else return written(`{"__proto__":{"admin":true},"a":1,"a":2}`)
  }
  return Object.fromEntries(entries)
}

function listOf(rules: Rules, kind: Kind, dice: Dice, known: Known, name: string, depth: number): unknown {
  const { items = {}, minItems = 0, maxItems = 1000 } = rules
  const usual = Math.min(maxItems, Math.max(minItems, dice.pick([0, 1, 1, 1, 2, 3])))
  const edges = [0, minItems, Math.max(0, minItems - 1), Math.min(maxItems, 1001), Math.min(maxItems + 1, 1001)]
  // One item again and again: a long list of things that differ says no more, and takes longer to make.
  if (kind === 'edge' && dice.chance(0.3)) {
    const item = madeValue(items, 'valid', dice, known, name, depth + 1)
    return Array.from({ length: dice.pick(edges) }, () => item)
  }
  const odd = dice.below(Math.max(1, usual))
  return Array.from({ length: usual }, (_, at) =>
    madeValue(items, at === odd ? kind : 'valid', dice, known, name, depth + 1),
  )
}

function textOf({ minLength = 0, maxLength, pattern, format }: Rules, kind: Kind, dice: Dice): unknown {
  if (kind !== 'valid') {
    const long = Math.min(maxLength ?? 2000, 300_000)
    return dice.chance(0.5)
      ? dice.pick(oddTexts)
      : dice.pick(['x', '\u00e9', '🤖']).repeat(dice.pick([minLength, Math.max(0, minLength - 1), long, long + 1]))
  }
  if (format === 'date-time') return dice.pick(['2026-01-01T00:00:00.000Z', '2030-06-01T12:00:00+02:00'])
  if (pattern?.includes('{64}')) return dice.pick('abcdef0123456789'.split('')).repeat(64)
  if (pattern?.includes('\\/')) return dice.pick(['nobody/nothing', 'a/b', 'hub/robot-1'])
  if (pattern) return `n${dice.below(100_000).toString(36)}`
  const text = dice.pick(words)
  return text.length < minLength ? text.padEnd(minLength, 'x') : text.slice(0, maxLength)
}

function numberOf(rules: Rules, type: string, kind: Kind, dice: Dice): unknown {
  const { minimum, maximum, exclusiveMinimum, multipleOf = 1 } = rules
  const least = minimum ?? exclusiveMinimum ?? -1000
  const most = maximum ?? 1e6
  if (kind !== 'valid')
    return dice.weighted<unknown>([
      [4, dice.pick([least, least - 1, most, most + 1, least - 1e-9, most + 1e-3])],
      [3, dice.pick(oddNumbers)],
      [2, written(dice.pick(writtenNumbers))],
    ])
  if (type === 'integer') {
    const value = Math.ceil(least) + dice.below(Math.min(most - least + 1, dice.pick([3, 50, 100_000])))
    return multipleOf > 1 ? Math.max(1, Math.round(value / multipleOf)) * multipleOf : value
  }
  return Math.min(most, least + dice.pick([0.25, 1, 1.5, 30, 50]))
}

/** A value of another type, or text where a word of few is expected. */
function brokenOf(rules: Rules, dice: Dice): unknown {
  const types = [rules.type ?? []].flat()
  const others: readonly (readonly [string, unknown])[] = [
    ['string', dice.pick(oddTexts)],
    ['number', dice.pick(oddNumbers)],
    ['boolean', true],
    ['null', null],
    ['array', dice.pick<unknown>([[], [1], [[]], [null]])],
    ['object', dice.pick<unknown>([{}, { a: 1 }, { length: 1 }])],
    ['array', deep(dice.pick([3, 60, 400]))],
  ]
  const wrong = others.filter(([type]) => !types.includes(type))
  return rules.enum && dice.chance(0.5) ? dice.pick(oddTexts) : dice.pick(wrong)[1]
}

/** Free-form JSON. */
export function anyJson(kind: Kind, dice: Dice, depth = 0): unknown {
  const leaf = () =>
    kind === 'valid'
      ? dice.pick<unknown>([1, 0.5, -3, true, null, 'text', 'Größe', 42])
      : dice.pick<unknown>([
          dice.pick(oddTexts),
          dice.pick(oddNumbers),
          written(dice.pick(writtenNumbers)),
          deep(dice.pick([5, 120, 600])),
          written('{"a":1,"a":2}'),
        ])
  if (depth > 2 || dice.chance(0.4)) return leaf()
  const inner = () => anyJson(kind, dice, depth + 1)
  if (dice.chance(0.5)) return Array.from({ length: dice.below(4) }, inner)
  const names = [...words, ...(kind === 'edge' ? ['', '__proto__', '\ud800', 'toString', 'x'.repeat(300)] : [])]
  return Object.fromEntries(Array.from({ length: dice.below(4) }, () => [dice.pick(names), inner()]))
}

/** A copy of a value that is known to be good, with one place in it changed. */
export function changed(value: unknown, schema: Schema, kind: Kind, dice: Dice, known: Known): unknown {
  if (kind === 'valid' || value === undefined) return value
  return changedAt(value, schema, kind, dice, known, '')
}

function changedAt(value: unknown, schema: Schema, kind: Kind, dice: Dice, known: Known, name: string): unknown {
  const rules = resolved(schema) as Rules
  if (Array.isArray(value) && value.length > 0 && dice.chance(0.8)) {
    const at = dice.below(value.length)
    return value.map((item, index) =>
      index === at ? changedAt(item, rules.items ?? {}, kind, dice, known, name) : item,
    )
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && dice.chance(0.85)) {
    const { properties = {} } = (rules.anyOf?.map(resolved).find((one) => 'properties' in one) ?? rules) as Rules
    const names = [...new Set([...Object.keys(value), ...Object.keys(properties)])]
    if (names.length === 0) return madeValue(schema, kind, dice, known, name)
    const member = dice.pick(names)
    if (kind === 'broken' && dice.chance(0.15))
      return Object.fromEntries(Object.entries(value).filter(([key]) => key !== member))
    if (kind === 'broken' && dice.chance(0.1)) return { ...value, [dice.pick(['unknown', '__x', 'Kind'])]: 1 }
    const inner = (value as Record<string, unknown>)[member]
    return { ...value, [member]: changedAt(inner, properties[member] ?? {}, kind, dice, known, member) }
  }
  return madeValue(schema, kind, dice, () => undefined, name, 1)
}
