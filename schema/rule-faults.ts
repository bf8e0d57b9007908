/**
 * Validation rules of arguments and input fields: collects every violation of a request, even if its types are wrong
 * too.
 */

import { freeFormFaults } from '@hub/formats/free-form-faults'
import {
  type GraphQLInputType,
  type GraphQLScalarType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isScalarType,
} from 'graphql'
import { z } from 'zod'
import { type ErrorItem, type ErrorType, errorTable, HubError, type Loc } from '../src/platform/errors.ts'
import { atOnce, type Sliced } from '../src/platform/slices.ts'

interface RuleIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/**
 * Same limit as `/v1`. A body of some megabytes can hold 50,000 faults, and an answer that lists all of them is as
 * large.
 */
export const MAX_FAULTS = 50

/** Items of a list that are looked at in one slice: of a hundred thousand paths each takes some microseconds. */
const ITEMS_AT_ONCE = 1000

/** Characters of their texts: a pattern takes 6 ns for each, and a request may have 32 million. */
const CHARACTERS_AT_ONCE = 1024 * 1024

/** Of all texts that rules were asked about so far, by whatever request. */
let askedCharacters = 0

const count = (value: unknown): void => {
  if (typeof value === 'string') askedCharacters += value.length
}

/** Says after which items of a list a slice ends. */
class SliceEnds {
  #begun = askedCharacters

  isAfter(place: number): boolean {
    if (place % ITEMS_AT_ONCE !== ITEMS_AT_ONCE - 1 && askedCharacters - this.#begun < CHARACTERS_AT_ONCE) return false
    this.#begun = askedCharacters
    return true
  }
}

const isShort = (list: readonly unknown[]) =>
  list.length <= ITEMS_AT_ONCE &&
  list.reduce<number>((sum, item) => sum + (typeof item === 'string' ? item.length : 0), 0) <= CHARACTERS_AT_ONCE

/** The issues of a rule as error items, each under `loc`; the first 50. */
function itemsOf(issues: readonly RuleIssue[], loc: Loc = []): ErrorItem[] {
  return issues.slice(0, MAX_FAULTS).map((issue) => ({
    type: typeOf(issue),
    detail: detailOf(issue.message),
    loc: [...loc, ...(issue.path ?? []).map((step) => placeOf(typeof step === 'object' ? step.key : step))],
  }))
}

const comparisons: Readonly<Record<string, string>> = {
  '<=': 'at most',
  '>=': 'at least',
  '<': 'less than',
  '>': 'more than',
}

/**
 * zod's own words, as the hub says it. A number of a document that no double is, as it was written, is a class of the
 * hub's own.
 */
const detailOf = (message: string): string =>
  message
    .replace(
      /^Too (?:big|small): expected number to be ([<>]=?)(\S+)$/,
      (_, sign: string, bound: string) => `must be ${comparisons[sign]} ${bound}`,
    )
    .replace(
      /^Too (?:big|small): expected \w+ to have ([<>]=?)(\d+) (\w+)$/,
      (_, sign: string, bound: string, units: string) =>
        `must have ${comparisons[sign]} ${bound} ${bound === '1' ? units.replace(/s$/, '') : units}`,
    )
    .replace(/^Invalid input: expected .*, received undefined$/, 'is required')
    .replace(/^Invalid input: expected .*, received ExactNumber$/, 'has more digits than a number of 64 bits holds')

/** A rule may carry its own error type next to the issue. */
function typeOf(issue: object): ErrorType {
  const params: unknown = 'params' in issue ? issue.params : null
  const type = typeof params === 'object' && params && 'type' in params ? params.type : null
  return typeof type === 'string' && Object.hasOwn(errorTable, type) ? (type as ErrorType) : 'validation.value'
}

const placeOf = (key: PropertyKey): string | number => (typeof key === 'number' ? key : String(key))

/**
 * Puts the argument before the places of a verb's error: a verb names only fields of its input. A message that starts
 * with the first place then starts with the full place. Other errors are returned unchanged.
 */
export function placedUnder(argument: string, error: unknown): unknown {
  if (!(error instanceof HubError) || error.items.every((item) => !item.loc)) return error
  const items = error.items.map((item) => (item.loc ? { ...item, loc: [argument, ...item.loc] } : item))
  const quotesPlace = error.message.startsWith(`${error.items[0]?.loc?.join('.')}: `)
  const detail = quotesPlace ? `${argument}.${error.message}` : error.message
  return error.reworded(detail, items)
}

/** Anything with a rule next to it: an argument or an input field. */
interface Ruled {
  readonly type: GraphQLInputType
  readonly extensions: Readonly<Record<string, unknown>>
}

/** A value as a rule takes it; `undefined` if its type is wrong, which is reported separately. */
type Read = (type: GraphQLInputType, value: unknown) => unknown

/**
 * Violations of the rules of an argument or field and of the fields below it. Null and absent values satisfy every
 * rule.
 */
export function ruleFaults(ruled: Ruled, value: unknown, loc: Loc): ErrorItem[] {
  return atOnce(faultsAt(ruled, value, loc, parsed))
}

/**
 * The same for a value that GraphQL has coerced: its type is right, and enums have their internal value. Long lists are
 * looked at in slices.
 */
export function ruleFaultsOfRead(ruled: Ruled, value: unknown, loc: Loc): Sliced<ErrorItem[]> {
  return faultsAt(ruled, value, loc, (_type, read) => read)
}

function* faultsAt({ type, extensions }: Ruled, value: unknown, loc: Loc, read: Read): Sliced<ErrorItem[]> {
  if (value === null || value === undefined) return []
  count(value)
  const rule = extensions.rule as z.ZodType | undefined
  const ruled = rule && read(type, value)
  const issues = rule && ruled !== undefined ? yield* issuesOf(rule, ruled) : []
  const below = extensions.anyText ? [] : yield* faultsBelow(type, value, loc, read)
  // Of a text that is none this is said, and nothing else.
  const isTold = ({ loc: at }: ErrorItem) => below.some((fault) => String(fault.loc) === String(at))
  return [...itemsOf(issues, loc).filter((item) => !isTold(item)), ...below]
}

/** Of a long list as zod itself would tell them: those of its items, then its own. */
function* issuesOf(rule: z.ZodType, value: unknown): Sliced<readonly RuleIssue[]> {
  if (!(rule instanceof z.ZodArray) || !Array.isArray(value) || isShort(value))
    return rule.safeParse(value).error?.issues ?? []
  const { element } = rule
  const issues: RuleIssue[] = []
  const ends = new SliceEnds()
  if (!(element instanceof z.ZodUnknown))
    for (const [place, item] of value.entries()) {
      if (issues.length >= MAX_FAULTS) break
      if (ends.isAfter(place)) yield
      count(item)
      for (const issue of z.safeParse(element, item).error?.issues ?? [])
        issues.push({ ...issue, path: [place, ...issue.path] })
    }
  return [...issues, ...(rule.clone({ ...rule.def, element: z.unknown() }).safeParse(value).error?.issues ?? [])]
}

/** As GraphQL would coerce it. An input object has no rule of its own, so its members stay unchanged. */
function parsed(type: GraphQLInputType, value: unknown): unknown {
  const nullable = getNullableType(type)
  if (value === null || value === undefined) return null
  if (isListType(nullable)) {
    if (!Array.isArray(value)) return value
    const items = value.map((item) => parsed(nullable.ofType, item))
    return items.includes(undefined) ? undefined : items
  }
  if (!isLeafType(nullable)) return value
  try {
    return nullable.parseValue(value)
  } catch {
    return undefined
  }
}

function* faultsBelow(type: GraphQLInputType, value: unknown, loc: Loc, read: Read): Sliced<ErrorItem[]> {
  const nullable = getNullableType(type)
  if (value === null || value === undefined) return []
  if (isListType(nullable) && Array.isArray(value)) return yield* faultsOfItems(nullable.ofType, value, loc, read)
  if (isScalarType(nullable)) return textFaults(nullable, value, loc)
  if (!isInputObjectType(nullable) || typeof value !== 'object') return []
  const members = value as Readonly<Record<string, unknown>>
  const faults: ErrorItem[] = []
  for (const field of Object.values(nullable.getFields())) {
    const member = members[field.name]
    if (member === null || member === undefined) continue
    faults.push(...(yield* faultsAt(field, member, [...loc, field.name], read)))
  }
  return faults
}

/** The first faults of a list: millions of items may each have one. */
function* faultsOfItems(type: GraphQLInputType, items: readonly unknown[], loc: Loc, read: Read): Sliced<ErrorItem[]> {
  const faults: ErrorItem[] = []
  const ends = new SliceEnds()
  for (const [place, item] of items.entries()) {
    if (faults.length >= MAX_FAULTS) break
    if (ends.isAfter(place)) yield
    faults.push(...(yield* faultsBelow(type, item, [...loc, place], read)))
  }
  return faults
}

/** The faults of every text and every free-form value of the input, whatever rule its field has or lacks. */
function textFaults({ name }: GraphQLScalarType, value: unknown, loc: Loc): ErrorItem[] {
  // Decoded by now, a node id is one text all the same.
  const read = name === 'ID' && typeof value === 'object' ? (value as { id?: unknown }).id : value
  if (typeof read !== 'string' && name !== 'JSON') return []
  const faults = freeFormFaults(read).map(({ message, loc: path }) => ({ message, path }))
  return itemsOf(faults, loc)
}

/** The error for rule violations; null if there are none. */
export function brokenRules(items: readonly ErrorItem[]): HubError | null {
  const [first] = items
  if (!first) return null
  const detail = `${first.loc?.join('.')}: ${first.detail}`
  return new HubError('validation.failed', detail, { items: items.slice(0, MAX_FAULTS) })
}
