/** The rules of input fields, as the validation plugin runs them and as a request is held to them that is refused for its types already. */
import { type GraphQLInputType, getNullableType, isInputObjectType, isLeafType, isListType } from 'graphql'
import type { z } from 'zod'
import { type ErrorItem, type ErrorType, errorTable, HubError, type Loc } from '../src/platform/errors.ts'

interface RuleIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** As many as `/v1` tells of a body. A body of some megabytes has room for 50,000, and an answer that names them all is as large. */
export const MAX_FAULTS = 50

/** What a rule found wrong, as entries of a refusal, each under `loc`; the first 50. */
export function itemsOf(issues: readonly RuleIssue[], loc: Loc = []): ErrorItem[] {
  return issues.slice(0, MAX_FAULTS).map((issue) => ({
    type: typeOf(issue),
    detail: issue.message,
    loc: [...loc, ...(issue.path ?? []).map((step) => placeOf(typeof step === 'object' ? step.key : step))],
  }))
}

/** A rule that has a type of its own in the table says so beside its issue. */
function typeOf(issue: object): ErrorType {
  const params: unknown = 'params' in issue ? issue.params : null
  const type = typeof params === 'object' && params && 'type' in params ? params.type : null
  return typeof type === 'string' && Object.hasOwn(errorTable, type) ? (type as ErrorType) : 'validation.value'
}

const placeOf = (key: PropertyKey): string | number => (typeof key === 'number' ? key : String(key))

/**
 * What a verb refused, with its places below the argument that holds them: a verb names fields of its input, and knows no argument. A message that begins
 * with the first place begins with the whole of it. Any other error stays as it is.
 */
export function placedUnder(argument: string, error: unknown): unknown {
  if (!(error instanceof HubError) || error.items.every((item) => !item.loc)) return error
  const items = error.items.map((item) => (item.loc ? { ...item, loc: [argument, ...item.loc] } : item))
  const quotesPlace = error.message.startsWith(`${error.items[0]?.loc?.join('.')}: `)
  const detail = quotesPlace ? `${argument}.${error.message}` : error.message
  return new HubError(error.type, detail, { items, headers: { ...error.headers }, cause: error })
}

/** Anything with a rule beside it: an argument or an input field. */
interface Ruled {
  readonly type: GraphQLInputType
  readonly extensions: Readonly<Record<string, unknown>>
}

/** What a value breaks of the rule of its argument or field, and of the fields below it. Null and absent hold to every rule. */
export function ruleFaults({ type, extensions }: Ruled, value: unknown, loc: Loc): ErrorItem[] {
  if (value === null || value === undefined) return []
  const rule = isOfType(type, value) ? (extensions.zod as z.ZodType | undefined) : undefined
  const issues = rule?.safeParse(value).error?.issues ?? []
  return [...itemsOf(issues, loc), ...faultsBelow(type, value, loc)]
}

/** What is not is refused for that. */
function isOfType(type: GraphQLInputType, value: unknown): boolean {
  const nullable = getNullableType(type)
  if (value === null || value === undefined) return true
  if (isListType(nullable)) return !Array.isArray(value) || value.every((item) => isOfType(nullable.ofType, item))
  if (!isLeafType(nullable)) return true
  try {
    nullable.parseValue(value)
    return true
  } catch {
    return false
  }
}

function faultsBelow(type: GraphQLInputType, value: unknown, loc: Loc): ErrorItem[] {
  const nullable = getNullableType(type)
  if (value === null || value === undefined) return []
  if (isListType(nullable) && Array.isArray(value))
    return value.flatMap((item, place) => faultsBelow(nullable.ofType, item, [...loc, place]))
  if (!isInputObjectType(nullable) || typeof value !== 'object') return []
  const members = value as Readonly<Record<string, unknown>>
  return Object.values(nullable.getFields()).flatMap((field) =>
    ruleFaults(field, members[field.name], [...loc, field.name]),
  )
}
