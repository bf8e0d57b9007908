/** What is wrong with an answer of the graph, by its schema and the contract. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getOperationAST,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { errorTable } from '../../src/platform/errors.ts'
import { problemFaults } from '../support/documented.ts'
import type { Json } from '../support/hub.ts'
import { brokenTexts, leaked } from './judge.ts'

/** Codes of errors of the document itself, beside those of the table. */
const documentCodes = [
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'OPERATION_RESOLUTION_FAILURE',
]
const codes = new Set([...Object.values(errorTable).map(({ code }) => code as string), ...documentCodes])
const allowedServerErrors = /^\/problems\/(?:not_configured\.\w+|not_supported)$/

export interface Judged {
  readonly schema: GraphQLSchema
  /** Null: it cannot be parsed. */
  readonly document: DocumentNode | null
  readonly variables: Readonly<Record<string, unknown>>
  /** All that was sent, as text. */
  readonly sent: string
  readonly secrets: readonly string[]
}

/** All faults of one result: of an answer, or of an event. */
export function resultFaults(judged: Judged, result: Json): string[] {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return ['result: it is not an object']
  const faults: string[] = []
  const unknown = Object.keys(result).filter((name) => !['data', 'errors', 'extensions'].includes(name))
  if (unknown.length > 0) faults.push(`result: it has ${unknown}`)
  if (result.errors === undefined && result.data === undefined) faults.push('result: it has neither data nor errors')
  if (result.errors !== undefined && !(Array.isArray(result.errors) && result.errors.length > 0))
    faults.push('result: errors is not a list with entries')
  for (const error of result.errors ?? []) faults.push(...errorFaults(error))
  const text = JSON.stringify(result.errors ?? [])
  faults.push(...leaked(text, judged.sent, judged.secrets).map((fault) => `leak: ${fault}`))
  const isLog = /Log\b/.test(judged.sent)
  if (!isLog)
    faults.push(
      ...brokenTexts(result)
        .slice(0, 2)
        .map((one) => `text: ${one} is not text`),
    )
  if (result.data) faults.push(...dataFaults(judged, result.data).slice(0, 4))
  return faults
}

function errorFaults(error: Json): string[] {
  const faults: string[] = []
  const { message, extensions, path } = error ?? {}
  if (typeof message !== 'string' || message === '') faults.push('error: it has no message')
  if (path !== undefined && !Array.isArray(path)) faults.push('error: its path is not a list')
  const { code, status, problem } = extensions ?? {}
  if (!codes.has(code)) faults.push(`error: ${code} is not a code: ${message}`)
  if (!problem) return [...faults, `error: it has no problem: ${message}`]
  faults.push(...problemFaults(problem).map((fault) => `error: its problem ${fault}`))
  if (status !== problem.status) faults.push(`error: status ${status} and ${problem.status}`)
  if (problem.status >= 500 && !allowedServerErrors.test(problem.type))
    faults.push(`status: ${problem.status} ${problem.type} ${message}`)
  return faults
}

/** How the data differs from what was asked for. */
function dataFaults({ schema, document, variables }: Judged, data: Json): string[] {
  const operation = document && getOperationAST(document)
  if (!operation) return ['data: there is data of no operation']
  const root = schema.getRootType(operation.operation)
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  const defaults = Object.fromEntries(
    (operation.variableDefinitions ?? []).map(({ variable }) => [variable.name.value, null]),
  )
  const reader = new DataReader(schema, fragments, { ...defaults, ...variables })
  return root ? reader.object(root, [operation.selectionSet], data, 'data') : []
}

const scalars: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: (value) => Number.isInteger(value) && Math.abs(value as number) <= 2 ** 31,
  SafeInt: (value) => Number.isSafeInteger(value),
  Float: (value) => typeof value === 'number' && Number.isFinite(value),
  Boolean: (value) => typeof value === 'boolean',
  String: (value) => typeof value === 'string',
  ID: (value) => typeof value === 'string',
  DateTime: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  JSON: () => true,
}

class DataReader {
  readonly #schema: GraphQLSchema
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #variables: Readonly<Record<string, unknown>>

  constructor(
    schema: GraphQLSchema,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    variables: Readonly<Record<string, unknown>>,
  ) {
    this.#schema = schema
    this.#fragments = fragments
    this.#variables = variables
  }

  object(type: GraphQLObjectType, sets: readonly SelectionSetNode[], data: Json, at: string): string[] {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) return [`data: ${at} is not an object`]
    const asked = new Map<string, FieldNode[]>()
    for (const set of sets) this.#collect(type, set, asked)
    const extra = Object.keys(data).filter((name) => !asked.has(name))
    const faults = extra.length > 0 ? [`data: ${at} has ${extra}, which nobody asked for`] : []
    for (const [key, nodes] of asked) {
      const name = nodes[0]?.name.value ?? ''
      if (!Object.hasOwn(data, key)) faults.push(`data: ${at}.${key} is absent`)
      else if (name === '__typename') {
        if (data[key] !== type.name) faults.push(`data: ${at}.__typename is ${data[key]}`)
      } else {
        const field = type.getFields()[name]
        const inner = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
        if (field) faults.push(...this.#value(field.type, inner, data[key], `${at}.${key}`))
      }
    }
    return faults
  }

  #value(type: GraphQLOutputType, sets: readonly SelectionSetNode[], value: Json, at: string): string[] {
    if (isNonNullType(type)) return value === null ? [`data: ${at} is null`] : this.#value(type.ofType, sets, value, at)
    if (value === null) return []
    if (isListType(type)) {
      if (!Array.isArray(value)) return [`data: ${at} is not a list`]
      return value.slice(0, 200).flatMap((item, index) => this.#value(type.ofType, sets, item, `${at}.${index}`))
    }
    if (isEnumType(type)) return type.getValue(value) ? [] : [`data: ${at} is ${value}, no ${type.name}`]
    if (isLeafType(type))
      return scalars[type.name]?.(value) === false
        ? [`data: ${at} is ${JSON.stringify(value)?.slice(0, 60)}, no ${type.name}`]
        : []
    if (isObjectType(type)) return this.object(type, sets, value, at)
    const named = this.#schema.getType(value.__typename)
    // Without its name the type of an abstract one is not known.
    return isObjectType(named) ? this.object(named, sets, value, at) : []
  }

  #collect(type: GraphQLObjectType, set: SelectionSetNode, asked: Map<string, FieldNode[]>): void {
    for (const node of set.selections) {
      if (!this.#isIncluded(node.directives)) continue
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value
        asked.set(key, [...(asked.get(key) ?? []), node])
        continue
      }
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(node.name.value) : node
      const on = fragment?.typeCondition?.name.value
      if (fragment && this.#matches(type, on)) this.#collect(type, fragment.selectionSet, asked)
    }
  }

  #matches(type: GraphQLObjectType, on: string | undefined): boolean {
    if (on === undefined || on === type.name) return true
    const condition = this.#schema.getType(on)
    return isAbstractType(condition) && this.#schema.isSubType(condition, type)
  }

  #isIncluded(directives: FieldNode['directives']): boolean {
    return (directives ?? []).every(({ name, arguments: given }) => {
      const value = given?.[0]?.value
      const flag =
        value?.kind === Kind.BOOLEAN
          ? value.value
          : value?.kind === Kind.VARIABLE
            ? this.#variables[value.name.value]
            : undefined
      return name.value === 'skip' ? flag !== true : name.value === 'include' ? flag === true : true
    })
  }
}
