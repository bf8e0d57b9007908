/**
 * Calls the resolver of a document's root field: with the arguments that plain variables give, and with what an
 * executor tells it. An executor makes a context, a place and two promises for each call.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type ValueNode,
  valueFromAST,
} from 'graphql'
import type { RequestContext } from '../../../operation/context.ts'

export interface RootParts {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly root: FieldNode
  readonly rootField: GraphQLField<unknown, unknown>
}

type Variables = Readonly<Record<string, unknown>>

/** What the resolver returns, or throws; undefined where an executor has to read the variables. */
export type RootRead = (variables: Variables, ctx: RequestContext) => { readonly value: unknown } | undefined

/** Reads one variable: undefined for a value that its type may change or refuse. */
type ReadVariable = (value: unknown) => { readonly value: unknown } | undefined

interface PlannedArgument {
  readonly name: string
  /** The variable that gives it. */
  readonly variable: string | null
  /** Its value without a variable, or where the variable is absent. */
  readonly otherwise: { readonly value: unknown } | null
  readonly isNeeded: boolean
}

/** Null if an argument is not one variable or one value. */
export function rootReadOf(parts: RootParts): RootRead | null {
  const { schema, document, operation, root, rootField } = parts
  const { resolve } = rootField
  const planned = rootField.args.map((arg) => plannedArgument(arg, root))
  const parentType = schema.getRootType(operation.operation)
  if (!resolve || !parentType || planned.includes(null)) return null
  const args = planned as readonly PlannedArgument[]
  const readers = (operation.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => {
    const input = typeFromAST(schema, type as never) as GraphQLInputType
    const given = valueFromAST(defaultValue, input)
    return { name: variable.name.value, read: readerOf(input), isNeeded: isNonNullType(input), given }
  })
  const told: Omit<GraphQLResolveInfo, 'variableValues'> = {
    fieldName: rootField.name,
    fieldNodes: [root],
    returnType: rootField.type,
    parentType,
    path: { prev: undefined, key: root.alias?.value ?? root.name.value, typename: parentType.name },
    schema,
    fragments: fragmentsOf(document),
    rootValue: undefined,
    operation,
  }
  const coercedOf = (variables: Variables): Record<string, unknown> | undefined => {
    const coerced: Record<string, unknown> = {}
    for (const { name, read, isNeeded, given } of readers) {
      const value = variables[name]
      if (value === undefined) {
        if (given !== undefined) coerced[name] = given
        else if (isNeeded) return undefined
      } else if (value === null) {
        if (isNeeded) return undefined
        coerced[name] = null
      } else {
        const one = read(value)
        if (!one) return undefined
        coerced[name] = one.value
      }
    }
    return coerced
  }
  return (variables, ctx) => {
    const variableValues = coercedOf(variables)
    const given = variableValues && argumentsOf(args, variableValues)
    if (!given) return undefined
    return { value: resolve(undefined, given, ctx, { ...told, variableValues }) }
  }
}

export const fragmentsOf = (document: DocumentNode): Record<string, FragmentDefinitionNode> =>
  Object.fromEntries(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  )

function plannedArgument({ name, type, defaultValue }: GraphQLArgument, root: FieldNode): PlannedArgument | null {
  const node = root.arguments?.find((argument) => argument.name.value === name)
  const byDefault = defaultValue === undefined ? null : { value: defaultValue }
  const isNeeded = isNonNullType(type)
  if (!node) return { name, variable: null, otherwise: byDefault, isNeeded }
  if (node.value.kind === Kind.VARIABLE)
    return { name, variable: node.value.name.value, otherwise: byDefault, isNeeded }
  if (holdsVariable(node.value)) return null
  return { name, variable: null, otherwise: { value: valueFromAST(node.value, type) }, isNeeded }
}

function holdsVariable(node: ValueNode): boolean {
  if (node.kind === Kind.VARIABLE) return true
  if (node.kind === Kind.LIST) return node.values.some(holdsVariable)
  return node.kind === Kind.OBJECT && node.fields.some(({ value }) => holdsVariable(value))
}

function argumentsOf(args: readonly PlannedArgument[], variables: Variables): Record<string, unknown> | undefined {
  const given: Record<string, unknown> = {}
  for (const { name, variable, otherwise, isNeeded } of args) {
    let value = variable === null ? undefined : variables[variable]
    if (value === undefined) value = otherwise?.value
    if (value === undefined) {
      if (isNeeded) return undefined
      continue
    }
    if (value === null && isNeeded) return undefined
    given[name] = value
  }
  return given
}

const kept = (value: unknown) => ({ value })
const MAX_INT = 2 ** 31

/** Of values that are not null; of a scalar that is not GraphQL's own, an executor reads them. */
function readerOf(declared: GraphQLInputType): ReadVariable {
  const type = getNullableType(declared)
  if (isListType(type)) return listReader(readerOf(type.ofType))
  if (isEnumType(type)) {
    return (value) => {
      const known = typeof value === 'string' ? type.getValue(value) : undefined
      return known ? { value: known.value } : undefined
    }
  }
  if (!isSpecifiedScalarType(type)) return () => undefined
  const isPlain = plainScalars[type.name]
  return (value) => (isPlain?.(value) ? kept(value) : undefined)
}

function listReader(read: ReadVariable): ReadVariable {
  return (value) => {
    if (!Array.isArray(value)) return undefined
    const items = value.map((item) => (item === null || item === undefined ? undefined : read(item)))
    return items.includes(undefined) ? undefined : { value: items.map((item) => item?.value) }
  }
}

const isText = (value: unknown) => typeof value === 'string'

/** Which values of a scalar are as they are sent. */
const plainScalars: Readonly<Record<string, (value: unknown) => boolean>> = {
  ID: isText,
  String: isText,
  Boolean: (value) => typeof value === 'boolean',
  Int: (value) => Number.isInteger(value) && Math.abs(value as number) < MAX_INT,
}
