/** The schema with `/v1` enum names, and route documents planned once against it. */
import { MapperKind, mapSchema } from '@graphql-tools/utils'
import {
  type DocumentNode,
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInputType,
  Kind,
  parse,
  typeFromAST,
  validate,
  visit,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { type CostOfVariables, costFunction } from '../../src/http/operation-cost.ts'
import { carriesSecrets } from '../../src/http/secret-fields.ts'
import { lazy } from '../../src/platform/lazy.ts'
import type { Route, Source } from './route.ts'

/**
 * The same schema with enum values named by their internal value, as in the spec: `DATASET` becomes `dataset`.
 * Resolvers are shared.
 */
export function restDialect(schema: GraphQLSchema): GraphQLSchema {
  return mapSchema(schema, {
    [MapperKind.ENUM_TYPE]: (type) => {
      if (type.name.startsWith('__')) return type
      const config = type.toConfig()
      const values = Object.entries(config.values).map(([name, value]) => [String(value.value ?? name), value] as const)
      return new GraphQLEnumType({ ...config, values: Object.fromEntries(values) })
    },
  })
}

export interface PlannedVariable {
  readonly name: string
  readonly type: GraphQLInputType
  readonly source: Source
  readonly hasDefault: boolean
}

/** A route with everything computed at startup that can be wrong. */
export interface RoutePlan {
  readonly route: Route
  readonly document: DocumentNode
  /** Its answers hold URLs or tokens that let in who has them. */
  readonly carriesSecrets: boolean
  /**
   * Compiled when the route is first used: all of them together would be a fifth of the time that a hub takes to start.
   */
  readonly compiled: () => CompiledQuery
  /** What an answer costs if its pages are full. */
  readonly costOf: CostOfVariables
  /** The response key of the document's one root field. */
  readonly rootKey: string
  readonly rootField: GraphQLField<unknown, unknown>
  readonly variables: readonly PlannedVariable[]
  /** Argument name -> variable name, to translate places that name an argument. */
  readonly argumentVariables: ReadonlyMap<string, string>
  readonly queryNames: ReadonlySet<string>
  /** The body contains free-form JSON: its numbers keep their original spelling. */
  readonly keepsNumbers: boolean
  readonly scope: string
}

/**
 * Parses and validates a route's document against the dialect schema. A mismatch fails the start with the route's name:
 * a document with another number of root fields, a variable without a source, a source without a variable.
 */
export function planRoute(route: Route, source: string, dialect: GraphQLSchema): RoutePlan {
  const fail = (why: string): never => {
    throw new Error(`/v1 route ${route.operation} (${route.document}.graphql): ${why}`)
  }
  const document = parse(source)
  const faults = validate(dialect, document)
  if (faults.length > 0) fail(faults.map((fault) => fault.message).join('; '))
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return fail('has no operation')
  const root = operation.selectionSet.selections[0]
  if (operation.selectionSet.selections.length !== 1 || root?.kind !== Kind.FIELD)
    return fail('needs exactly one root field')
  const rootField = dialect.getRootType(operation.operation)?.getFields()[root.name.value]
  if (!rootField) return fail('has an unknown root field')
  const variables = (operation.variableDefinitions ?? []).map((node): PlannedVariable => {
    const name = node.variable.name.value
    const type = typeFromAST(dialect, node.type as Parameters<typeof typeFromAST>[1])
    const place = Object.hasOwn(route.params, name) ? route.params[name] : undefined
    if (!place || !isInputType(type)) return fail(`variable $${name} has no source`)
    const fault = misplaced(route, place, type)
    if (fault) fail(fault)
    return { name, type, source: place, hasDefault: node.defaultValue !== undefined }
  })
  for (const name of Object.keys(route.params)) {
    if (!variables.some((variable) => variable.name === name)) fail(`source ${name} has no variable`)
  }
  const compiled = lazy(() => {
    // Leaf values are already JSON, and an enum's internal value is its name here: serializing leaves would change
    // nothing.
    const query = compileQuery(dialect, document, undefined, { disableLeafSerialization: true })
    return isCompiledQuery(query)
      ? query
      : fail(query.errors?.map(({ message }) => message).join('; ') ?? 'does not compile')
  })
  return {
    route,
    document,
    compiled,
    carriesSecrets: carriesSecrets(dialect, document),
    costOf: costFunction(dialect, document, operation),
    rootKey: root.alias?.value ?? root.name.value,
    rootField,
    variables,
    argumentVariables: argumentVariables(document),
    queryNames: queryNames(route),
    keepsNumbers: variables.some(({ source, type }) => source.from === 'body' && holdsFreeForm(type)),
    scope: typeof rootField.extensions.scope === 'string' ? rootField.extensions.scope : 'key:read',
  }
}

/** Why a source does not fit the path or the input; null if it does. */
function misplaced(route: Route, source: Source, type: GraphQLInputType): string | null {
  if (source.from === 'query') return null
  if (source.from === 'path') {
    return route.path.split('/').includes(`:${source.name}`) ? null : `the path has no :${source.name}`
  }
  const input = getNullableType(type)
  if (!isInputObjectType(input)) return `${String(type)} is no input object`
  const document = source.from === 'body' ? source.document : undefined
  if (document && !input.getFields()[document.field]) return `${input.name} has no field ${document.field}`
  for (const [name, place] of Object.entries(source.fields)) {
    const field = input.getFields()[name]
    const fault = field ? misplaced(route, place, field.type) : `${input.name} has no field ${name}`
    if (fault) return fault
  }
  return null
}

function holdsFreeForm(type: GraphQLInputType, seen = new Set<unknown>()): boolean {
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return named.name === 'JSON'
  if (seen.has(named)) return false
  seen.add(named)
  return Object.values(named.getFields()).some((field) => holdsFreeForm(field.type, seen))
}

function argumentVariables(document: DocumentNode): Map<string, string> {
  const found = new Map<string, string>()
  visit(document, {
    Argument(node) {
      if (node.value.kind === Kind.VARIABLE && !found.has(node.name.value))
        found.set(node.name.value, node.value.name.value)
    },
  })
  return found
}

function queryNames(route: Route): Set<string> {
  const names = new Set<string>()
  for (const source of Object.values(route.params)) {
    const parts = source.from === 'body' || source.from === 'fields' ? Object.values(source.fields) : [source]
    for (const part of parts) if (part.from === 'query') names.add(part.name)
  }
  return names
}
