/** The rules of arguments and input fields: all that a request breaks, also where it is refused for its types already. */
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
function itemsOf(issues: readonly RuleIssue[], loc: Loc = []): ErrorItem[] {
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

/** A value as a rule takes it; `undefined` where it is not of its type, which is a fault of its own. */
type Read = (type: GraphQLInputType, value: unknown) => unknown

/** What a value of a request breaks of the rule of its argument or field, and of the fields below it. Null and absent hold to every rule. */
export function ruleFaults(ruled: Ruled, value: unknown, loc: Loc): ErrorItem[] {
  return faultsAt(ruled, value, loc, parsed)
}

/** The same of a value that GraphQL has read: it is of its type, and an enum's word is what the word stands for. */
export function ruleFaultsOfRead(ruled: Ruled, value: unknown, loc: Loc): ErrorItem[] {
  return faultsAt(ruled, value, loc, (_type, read) => read)
}

function faultsAt({ type, extensions }: Ruled, value: unknown, loc: Loc, read: Read): ErrorItem[] {
  if (value === null || value === undefined) return []
  const rule = extensions.rule as z.ZodType | undefined
  const ruled = rule && read(type, value)
  const issues = ruled === undefined ? [] : (rule?.safeParse(ruled).error?.issues ?? [])
  return [...itemsOf(issues, loc), ...faultsBelow(type, value, loc, read)]
}

/** As GraphQL would read it. An input object has no rule of its own, so its members are left as they are. */
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

function faultsBelow(type: GraphQLInputType, value: unknown, loc: Loc, read: Read): ErrorItem[] {
  const nullable = getNullableType(type)
  if (value === null || value === undefined) return []
  if (isListType(nullable) && Array.isArray(value))
    return value.flatMap((item, place) => faultsBelow(nullable.ofType, item, [...loc, place], read))
  if (!isInputObjectType(nullable) || typeof value !== 'object') return []
  const members = value as Readonly<Record<string, unknown>>
  return Object.values(nullable.getFields()).flatMap((field) =>
    faultsAt(field, members[field.name], [...loc, field.name], read),
  )
}

/** The refusal of what breaks rules; null where nothing does. */
export function brokenRules(items: readonly ErrorItem[]): HubError | null {
  const [first] = items
  if (!first) return null
  const detail = `${first.loc?.join('.')}: ${first.detail}`
  return new HubError('validation.failed', detail, { items: items.slice(0, MAX_FAULTS) })
}
