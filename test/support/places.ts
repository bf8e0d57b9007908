/**
 * Places of errors: each leads to a member of the request, in the names of the dialect that was spoken: `["body", "files", 0, "content_type"]` in `/v1`,
 * `["input", "files", 0, "contentType"]` in GraphQL.
 */
import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isListType,
  Kind,
  parse,
} from 'graphql'
import { schema } from '../../schema/index.ts'
import { type Operation, operationOf, resolved, type Schema } from './documented.ts'

type Place = readonly (string | number)[]

interface Entry {
  readonly type: string
  readonly loc?: Place
}

/** A member that the operation does not know stands where the client wrote it. */
const knownPart = ({ type, loc = [] }: Entry): Place => (type === 'validation.unknown_member' ? loc.slice(0, -1) : loc)

const bodyOf = ({ requestBody }: Operation) => requestBody?.content['application/json']?.schema

/** An approval is refused for what the hold recorded: the body of one of these, in both dialects. */
const recorded: readonly (readonly [method: string, path: string])[] = [
  ['POST', '/v1/runs'],
  ['POST', '/v1/robot-checks'],
  ['POST', '/v1/endpoints'],
]
const leadsInsideRecord = (place: Place) =>
  recorded.some(([method, path]) => {
    const create = operationOf(method, path)
    return create !== null && leadsInside(bodyOf(create.operation), place)
  })

/** Places of a Problem that lead to no member of the operation's request, its path, its query or its headers. */
export function misplaced(operation: Operation, entries: readonly Entry[]): Place[] {
  const { operationId, parameters = [] } = operation
  const leads = ([head, ...tail]: Place) =>
    head === undefined ||
    (head === 'body' && leadsInside(bodyOf(operation), tail)) ||
    (head === 'body' && operationId === 'approveSpendHold' && leadsInsideRecord(tail)) ||
    (head === 'query' && tail.length === 0) ||
    parameters.some(({ in: from, name }) => from === head && name.toLowerCase() === tail[0])
  return entries.map(knownPart).filter((place) => !leads(place))
}

function leadsInside(given: Schema | undefined, [head, ...tail]: Place): boolean {
  if (head === undefined) return true
  if (!given) return false
  const { anyOf, properties = {}, items, additionalProperties } = resolved(given) as BodySchema
  if (anyOf) return anyOf.some((choice) => leadsInside(choice, [head, ...tail]))
  if (typeof head === 'number' && items) return leadsInside(items, tail)
  if (Object.hasOwn(properties, head)) return leadsInside(properties[head], tail)
  // Free-form: the names are the client's.
  if (additionalProperties === undefined) return Object.keys(properties).length === 0 && !items
  return additionalProperties === true || leadsInside(additionalProperties || undefined, tail)
}

interface BodySchema {
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
}

interface GraphError {
  readonly path?: Place
  readonly extensions?: { readonly problem?: { readonly errors: readonly Entry[] } }
}

/** Places of a GraphQL answer's errors that lead to no argument of the root field that failed, nor to a member of one. */
export function misplacedInGraph(query: string, errors: readonly GraphError[]): Place[] {
  return errors.flatMap(({ path, extensions }) => {
    const field = path?.length === 1 ? rootFieldOf(query, path[0]) : null
    const leads = ([head, ...tail]: Place) =>
      head === undefined ||
      leadsInsideInput(field?.args.find(({ name }) => name === head)?.type, tail) ||
      (field?.name === 'approveSpendHold' && leadsInsideRecord(tail))
    return field ? (extensions?.problem?.errors ?? []).map(knownPart).filter((place) => !leads(place)) : []
  })
}

function leadsInsideInput(type: GraphQLInputType | undefined, [head, ...tail]: Place): boolean {
  if (!type) return false
  if (head === undefined) return true
  const nullable = getNullableType(type)
  if (isListType(nullable)) return typeof head === 'number' && leadsInsideInput(nullable.ofType, tail)
  if (isInputObjectType(nullable)) return leadsInsideInput(nullable.getFields()[head]?.type, tail)
  return getNamedType(nullable).name === 'JSON'
}

/** The root field with this response key. */
function rootFieldOf(query: string, key: string | number | undefined): GraphQLField<unknown, unknown> | undefined {
  const operation = getOperationAST(parse(query))
  const node = operation?.selectionSet.selections.find(
    (one) => one.kind === Kind.FIELD && (one.alias ?? one.name).value === key,
  )
  const root = operation && schema.getRootType(operation.operation)
  return node?.kind === Kind.FIELD && root ? root.getFields()[node.name.value] : undefined
}
