/**
 * Hyperparameters as the text of a JSON object, which a form reads and changes one value at a time. Numbers keep their
 * digits, names and their order stay as their author wrote them. Pure.
 */
import { ExactNumber, exactNumber, isJsonObject, parseExact, writeExact } from '@hub/formats/exact-json'

export type Values = Readonly<Record<string, unknown>>
/** Names from the object inwards. */
export type Place = readonly string[]

/** Null for a text that is not a JSON object. An empty one has no hyperparameters. */
export function hyperparamsOf(text: string): Values | null {
  if (text.trim() === '') return {}
  try {
    const value = parseExact(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

/** The text of an object; none for one without members. */
export const textOfHyperparams = (values: Values): string =>
  Object.keys(values).length === 0 ? '' : writeExact(values, 2)

/** What a value is for a person. A group is an object, whose members are fields of their own. */
export type Kind = 'number' | 'text' | 'boolean' | 'nothing' | 'json' | 'group'

export function kindOf(value: unknown): Kind {
  if (typeof value === 'number' || value instanceof ExactNumber) return 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (value === null) return 'nothing'
  if (isJsonObject(value)) return 'group'
  return typeof value === 'object' ? 'json' : 'text'
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

/** The number in a text, with its digits; undefined for none. `.5` and `+3`, which JSON does not have, are read too. */
function numberTyped(typed: string): number | ExactNumber | undefined {
  const text = typed.trim()
  if (JSON_NUMBER.test(text)) return exactNumber(text)
  return NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined
}

/** The value that was typed: a number, `true`, `false` or `null` where it is one, else a text; undefined for nothing. */
export function valueTyped(typed: string): unknown {
  const text = typed.trim()
  if (text === '') return undefined
  if (Object.hasOwn(words, text)) return words[text]
  return numberTyped(text) ?? text
}

/** The JSON that was typed; undefined for a text that is none. */
export function jsonTyped(typed: string): unknown {
  try {
    return parseExact(typed)
  } catch {
    return undefined
  }
}

/** The value as another kind; undefined where it is none of it. */
export function asKind(value: unknown, kind: Kind): unknown {
  const text = value === undefined ? '' : shownValue(value)
  if (kind === 'number') return numberTyped(text)
  if (kind === 'text') return text
  if (kind === 'boolean') return text === 'true'
  if (kind === 'nothing') return null
  return kind === 'json' ? [] : {}
}

/** How a value is shown in a field. */
export const shownValue = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : writeExact(value)

/** Whether two values are written the same way. */
export const isSame = (one: unknown, other: unknown): boolean =>
  one === undefined || other === undefined ? one === other : writeExact(one) === writeExact(other)

/** The value at a place; undefined for none. */
export function valueAt(values: Values, place: Place): unknown {
  let found: unknown = values
  for (const name of place) {
    if (!isJsonObject(found) || !Object.hasOwn(found, name)) return undefined
    found = found[name]
  }
  return found
}

/** The text with another value at `place`, or without it. The others and their order stay, as does a text that is not an object. */
export function withHyperparam(text: string, place: Place, value: unknown): string {
  const values = hyperparamsOf(text)
  return values === null ? text : textOfHyperparams(changed(values, place, value))
}

function changed(values: Values, [name, ...inner]: Place, value: unknown): Values {
  if (name === undefined) return values
  const held = Object.hasOwn(values, name) ? values[name] : undefined
  const next = inner.length === 0 ? value : changed(isJsonObject(held) ? held : {}, inner, value)
  const others = Object.entries(values)
  if (next === undefined) return Object.fromEntries(others.filter(([other]) => other !== name))
  if (held === undefined) return Object.fromEntries([...others, [name, next]])
  return Object.fromEntries(others.map(([other, kept]) => [other, other === name ? next : kept]))
}
