/** Numbers in GraphQL variables: exact for free-form JSON, doubles for GraphQL's own types. */

import { isJsonObject, withDoubles } from '@hub/formats/exact-json'
import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getOperationAST,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
} from 'graphql'

type Variables = Readonly<Record<string, unknown>>

/**
 * Converts exactly parsed variables to what their types expect. Values of the wrong type are left for GraphQL to
 * reject.
 */
export function typedNumbers(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Variables,
): Record<string, unknown> {
  const typed: Record<string, unknown> = { ...variables }
  for (const { variable, type: node } of getOperationAST(document, operationName)?.variableDefinitions ?? []) {
    const name = variable.name.value
    const type = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1])
    if (Object.hasOwn(variables, name) && isInputType(type)) typed[name] = typedValue(variables[name], type)
  }
  return typed
}

function typedValue(value: unknown, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return typedValue(value, type.ofType)
  if (isListType(type))
    return Array.isArray(value) ? value.map((item) => typedValue(item, type.ofType)) : typedValue(value, type.ofType)
  if (isInputObjectType(type)) {
    if (!isJsonObject(value)) return value
    const fields = type.getFields()
    const members = Object.entries(value).map(([name, member]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      return [name, field ? typedValue(member, field.type) : member] as const
    })
    return Object.fromEntries(members)
  }
  return type.name === 'JSON' ? value : withDoubles(value)
}
