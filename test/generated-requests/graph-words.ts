/** Bodies of `/v1` in the words of the graph. */
import { type GraphQLInputType, getNullableType, isEnumType, isInputObjectType, isListType } from 'graphql'
import type { Json } from '../support/hub.ts'

/** Names as the graph has them, and words of enums in capitals. */
export function inGraphWords(value: Json, type: GraphQLInputType): unknown {
  const inner = getNullableType(type)
  if (isListType(inner)) return Array.isArray(value) ? value.map((item) => inGraphWords(item, inner.ofType)) : value
  if (isEnumType(inner)) return typeof value === 'string' ? value.toUpperCase() : value
  if (!isInputObjectType(inner) || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(inner.getFields()).flatMap(([name, member]) => {
      const written = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      return Object.hasOwn(value, written) ? [[name, inGraphWords(value[written], member.type)]] : []
    }),
  )
}
