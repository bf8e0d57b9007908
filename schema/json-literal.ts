/** Free-form JSON literals in a GraphQL document. */

import { exactNumber } from '@hub/formats/exact-json'
import { Kind, type ValueNode } from 'graphql'

/** The value of a literal: numbers keep their spelling, which in GraphQL is that of JSON. */
export function jsonLiteral(node: ValueNode, variables?: Readonly<Record<string, unknown>> | null): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return exactNumber(node.value)
    case Kind.LIST:
      return node.values.map((item) => jsonLiteral(item, variables))
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, jsonLiteral(value, variables)]))
    case Kind.VARIABLE:
      return variables?.[node.name.value]
    case Kind.NULL:
      return null
    default:
      return node.value
  }
}
