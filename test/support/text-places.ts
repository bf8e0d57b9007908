/** Every place of the interface where a client writes text: inputs of the graph, and members of requests of `/v1`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql'
import { schema } from '../../schema/index.ts'
import type { Json } from './hub.ts'

type Loc = readonly (string | number)[]

/** One place: `with` makes a request's variables or body that has a value there. */
export interface TextPlace {
  readonly loc: Loc
  readonly holds: 'text' | 'json' | 'word'
  /** `named`: what members of these names have, where the request needs them. */
  with(value: unknown, named?: Named): Json
}

type Named = Readonly<Record<string, string>>

export interface RootFieldPlaces {
  readonly kind: 'query' | 'mutation' | 'subscription'
  readonly name: string
  /** The operation; its variables are named after the arguments. */
  readonly document: string
  readonly places: readonly TextPlace[]
}

/** Inputs that contain themselves are followed this far. */
const MAX_DEPTH = 8

/** The root fields of the graph that take text. */
export function graphTextPlaces(): RootFieldPlaces[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const
  return roots.flatMap(([kind, root]) =>
    Object.values(root?.getFields() ?? {}).flatMap((field) => {
      const places = placesOf(field.args, [], 0)
      if (places.length === 0) return []
      const variables = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ')
      const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ')
      const isLeaf = 'getValues' in getNamedType(field.type) || 'parseValue' in getNamedType(field.type)
      const document = `${kind}(${variables}) { ${field.name}(${given}) ${isLeaf ? '' : '{ __typename }'} }`
      return [{ kind, name: field.name, document, places }]
    }),
  )
}

export interface TextArgument {
  readonly name: string
  readonly type: string
  /** The argument with a text in it, and where that is. */
  of(text: string): unknown
  readonly at: readonly number[]
  /** The others that the field needs, as they stand in a document. */
  readonly beside: readonly string[]
}

/** A digest is text of any field. */
const SOME_TEXT = 'a'.repeat(64)

/** The arguments of the fields of an object type that take text. */
export function textFieldsOf(typeName: string): { readonly name: string; readonly argument: TextArgument }[] {
  const type = schema.getType(typeName)
  if (!isObjectType(type)) throw new Error(`${typeName} is not an object type.`)
  return Object.values(type.getFields()).flatMap((field) =>
    field.args
      .filter(({ type }) => ['String', 'ID'].includes(getNamedType(type).name))
      .map(({ name, type }) => {
        const others = field.args.filter((other) => other.name !== name && isRequiredArgument(other))
        const argument = {
          name,
          type: String(type),
          beside: others.map((other) => `${other.name}: "${SOME_TEXT}"`),
        }
        return {
          name: field.name,
          argument: isListType(getNullableType(type))
            ? { ...argument, of: (text: string) => [text], at: [0] }
            : { ...argument, of: (text: string) => text, at: [] },
        }
      }),
  )
}

type Field = GraphQLArgument | GraphQLInputField

function placesOf(fields: readonly Field[], loc: Loc, depth: number): TextPlace[] {
  return fields.flatMap((field) =>
    placesIn(field.type, [...loc, field.name], depth).map((place) => ({
      ...place,
      with: (value: unknown, named: Named = {}) => ({
        ...required(fields, named),
        [field.name]: place.with(value, named),
      }),
    })),
  )
}

function placesIn(type: GraphQLInputType, loc: Loc, depth: number): TextPlace[] {
  const nullable = getNullableType(type)
  if (depth > MAX_DEPTH) return []
  if (isListType(nullable))
    return placesIn(nullable.ofType, [...loc, 0], depth).map((place) => ({
      ...place,
      with: (value, named) => [place.with(value, named)],
    }))
  if (isInputObjectType(nullable)) return placesOf(Object.values(nullable.getFields()), loc, depth + 1)
  if (isEnumType(nullable)) return [{ loc, holds: 'word', with: (value) => value }]
  if (nullable.name === 'JSON') return [{ loc, holds: 'json', with: (value) => value }]
  return ['String', 'ID'].includes(nullable.name) ? [{ loc, holds: 'text', with: (value) => value }] : []
}

const required = (fields: readonly Field[], named: Named): Record<string, unknown> =>
  Object.fromEntries(
    fields
      .filter((field) => isRequiredInputField(field as GraphQLInputField))
      .map(({ name, type }) => [name, named[name] ?? sample(type, named)]),
  )

const samples: Readonly<Record<string, unknown>> = {
  String: 'x',
  ID: 'repo_x',
  Int: 1,
  Float: 1,
  SafeInt: 1,
  Boolean: true,
  DateTime: '2030-01-01T00:00:00Z',
  JSON: {},
}

/** A value of the right type; rules may find fault with it. */
function sample(type: GraphQLInputType, named: Named): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return [sample(nullable.ofType, named)]
  if (isInputObjectType(nullable)) return required(Object.values(nullable.getFields()), named)
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name
  if (!(nullable.name in samples)) throw new Error(`There is no sample of ${nullable.name}.`)
  return samples[nullable.name]
}

interface RouteParameter {
  readonly in: 'path' | 'query'
  readonly name: string
}

export interface RoutePlaces {
  readonly operation: string
  readonly method: string
  /** With `{name}` for the members of the path. */
  readonly path: string
  readonly parameters: readonly RouteParameter[]
  readonly places: readonly TextPlace[]
}

/** The operations of `/v1` as its OpenAPI document has them. */
export function routeTextPlaces(): RoutePlaces[] {
  const text = readFileSync(join(import.meta.dirname, '../../rest-compat/openapi.json'), 'utf8')
  const document: Json = JSON.parse(text)
  const resolved = (node: Json): Json => (node?.$ref ? document.components.schemas[node.$ref.split('/').at(-1)] : node)

  function placesAt(given: Json, loc: Loc, depth: number): TextPlace[] {
    const node = resolved(given)
    if (!node || depth > MAX_DEPTH) return []
    const options = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])]
    if (options.length > 0) return options.flatMap((option: Json) => placesAt(option, loc, depth))
    const types = [node.type].flat()
    if (types.includes('array') && node.items)
      return placesAt(node.items, [...loc, 0], depth).map((place) => ({
        ...place,
        with: (value, named) => [place.with(value, named)],
      }))
    if (node.properties)
      return Object.entries(node.properties).flatMap(([name, member]) =>
        placesAt(member, [...loc, name], depth + 1).map((place) => ({
          ...place,
          with: (value: unknown) => ({ [name]: place.with(value) }),
        })),
      )
    if (types.includes('object') || node.type === undefined) return [{ loc, holds: 'json', with: (value) => value }]
    if (!types.includes('string')) return []
    return [{ loc, holds: node.enum ? 'word' : 'text', with: (value) => value }]
  }

  return Object.entries(document.paths as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, operation]: [string, Json]) => ({
      operation: operation.operationId,
      method: method.toUpperCase(),
      path,
      parameters: (operation.parameters ?? []).filter(
        (one: Json) => ['path', 'query'].includes(one.in) && holdsText(resolved(one.schema)),
      ),
      places: placesAt(operation.requestBody?.content?.['application/json']?.schema, ['body'], 0),
    })),
  )
}

const holdsText = (node: Json): boolean =>
  [node?.type].flat().includes('string') || [...(node?.anyOf ?? []), ...(node?.oneOf ?? [])].some(holdsText)
