/** Translates error places to `/v1` names: the graph and its validation use GraphQL names. */
import { type GraphQLInputType, getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql'
import type { ErrorItem, Loc } from '../../src/platform/errors.ts'
import { toSnake } from '../../src/platform/member-name.ts'
import type { RoutePlan } from './dialect.ts'
import type { BodySource, FieldsSource } from './route.ts'

/**
 * Error items with each `loc` translated: `["input","files",0,"contentType"]` -> `["body","files",0,"content_type"]`.
 */
export function placeItems(plan: RoutePlan, items: readonly ErrorItem[]): ErrorItem[] {
  return items.map((item) => (item.loc ? { ...item, loc: restLoc(plan, item.loc) } : item))
}

/**
 * One place. A place without an argument is taken as part of the body's input; a place already in `/v1` names stays.
 */
export function restLoc(plan: RoutePlan, loc: Loc): Loc {
  const [head, ...tail] = loc
  if (typeof head !== 'string') return loc
  const name = plan.argumentVariables.get(head) ?? head
  const variable = plan.variables.find((entry) => entry.name === name)
  if (variable) {
    const { source } = variable
    if (source.from === 'path' || source.from === 'query') return [source.from, source.name, ...tail]
    return insideInput(source, variable.type, tail)
  }
  if (head === 'query' || head === 'path' || head === 'body' || head === 'header') return loc
  for (const { source, type } of plan.variables) {
    if (source.from !== 'body' && source.from !== 'fields') continue
    const input = getNamedType(type)
    if (isInputObjectType(input) && Object.hasOwn(input.getFields(), head)) return insideInput(source, type, loc)
  }
  return ['body', ...loc]
}

function insideInput(source: BodySource | FieldsSource, type: GraphQLInputType, loc: Loc): Loc {
  const { fields } = source
  const [head, ...tail] = loc
  const place = source.from === 'body' ? source.document : undefined
  // A document already uses `/v1` names.
  if (place && head === place.field) return ['body', ...(place.member === undefined ? [] : [place.member]), ...tail]
  const elsewhere = typeof head === 'string' && Object.hasOwn(fields, head) ? fields[head] : undefined
  if (elsewhere) return [elsewhere.from, elsewhere.name, ...tail]
  return ['body', ...snakeAlong(type, loc)]
}

/** Renames names that the schema knows; keys below a free-form value stay as the client wrote them. */
function snakeAlong(type: GraphQLInputType, loc: Loc): Loc {
  const [head, ...tail] = loc
  if (head === undefined) return []
  const nullable = getNullableType(type)
  if (isListType(nullable) && typeof head === 'number') return [head, ...snakeAlong(nullable.ofType, tail)]
  if (isInputObjectType(nullable) && typeof head === 'string') {
    const fields = nullable.getFields()
    const field = Object.hasOwn(fields, head) ? fields[head] : undefined
    return field ? [toSnake(head), ...snakeAlong(field.type, tail)] : loc
  }
  return loc
}
