/** Queries for every field that can be reached from an object of the graph, to a depth: what a caller could ever be shown from there. */
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isAbstractType,
  isLeafType,
  isNonNullType,
  isObjectType,
  parse,
} from 'graphql'
import { costFunction } from '../../src/http/operation-cost.ts'

/** Fewer than a document may have, with room for what is around them; the cost is of one object, and a page has some. */
const MOST_FIELDS = 700
const MOST_OBJECTS = 2000
const MOST_VALUES = 20_000

interface Part {
  readonly text: string
  readonly fields: number
}

function isSmall(schema: GraphQLSchema, type: GraphQLNamedType, selection: string): boolean {
  const document = parse(`{ node { ... on ${type.name} { ${selection} } } }`)
  const operation = getOperationAST(document)
  if (!operation) return false
  const { objects, values } = costFunction(schema, document, operation)({})
  return objects <= MOST_OBJECTS && values <= MOST_VALUES
}

const needsArguments = ({ args }: GraphQLField<unknown, unknown>) =>
  args.some(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined)

const asked = (field: GraphQLField<unknown, unknown>) =>
  field.args.some(({ name }) => name === 'first') ? `${field.name}(first: 2)` : field.name

/** Selections of a type, each small enough for a document; together they have every field without required arguments, `depth` objects deep. */
export function selectionsOf(schema: GraphQLSchema, type: GraphQLNamedType, depth: number): string[] {
  if (isAbstractType(type))
    return schema
      .getPossibleTypes(type)
      .flatMap((one) => selectionsOf(schema, one, depth).map((text) => `... on ${one.name} { ${text} }`))
  const packed: Part[] = []
  for (const part of partsOf(schema, type, depth)) {
    const last = packed.at(-1)
    if (last && last.fields + part.fields <= MOST_FIELDS && isSmall(schema, type, `${last.text} ${part.text}`))
      packed[packed.length - 1] = { text: `${last.text} ${part.text}`, fields: last.fields + part.fields }
    else packed.push(part)
  }
  return packed.map(({ text }) => text)
}

/** `prefix`: of the aliases that members of an abstract type need, whose fields of one name may have different types. */
function partsOf(schema: GraphQLSchema, type: GraphQLNamedType, depth: number, prefix = ''): Part[] {
  if (isAbstractType(type))
    return schema.getPossibleTypes(type).flatMap((one) =>
      partsOf(schema, one, depth, `${one.name}_`).map(({ text, fields }) => ({
        text: `... on ${one.name} { ${text} }`,
        fields,
      })),
    )
  if (!isObjectType(type)) return []
  const parts: Part[] = [{ text: '__typename', fields: 1 }]
  for (const field of Object.values(type.getFields())) {
    if (needsArguments(field)) continue
    const named = getNamedType(field.type)
    const text = prefix === '' ? asked(field) : `${prefix}${field.name}: ${asked(field)}`
    if (isLeafType(named)) parts.push({ text, fields: 1 })
    else if (depth > 0 || isEnvelope(named))
      for (const inner of innerOf(schema, named, depth))
        parts.push({ text: `${text} { ${inner.text} }`, fields: inner.fields + 1 })
  }
  return parts
}

/** Of a connection, its edges, and memberships: what counts is behind them. */
const isEnvelope = ({ name }: GraphQLNamedType) => /Connection$|Edge$|^PageInfo$|^OrgMember$/.test(name)

function innerOf(schema: GraphQLSchema, type: GraphQLNamedType, depth: number): Part[] {
  const parts = partsOf(schema, type, isEnvelope(type) ? depth : depth - 1)
  const fields = parts.reduce((sum, part) => sum + part.fields, 0)
  // A small type is asked for in one piece.
  return fields > MOST_FIELDS / 4 ? parts : [{ text: parts.map(({ text }) => text).join(' '), fields }]
}
