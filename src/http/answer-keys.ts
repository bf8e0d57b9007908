/**
 * Counts the bytes of an object's keys in a response: aliases may be long, and there may be two thousand of them. Pure.
 */
import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'

/** Quotes, colon and comma; and the value of `__typename`, which no resolver returns. */
const AROUND_A_NAME = 4
const TYPE_NAME_BYTES = 24

/** Cached per selection set, which is shared by all objects of a field. */
const known = new WeakMap<SelectionSetNode, number>()

/** Key bytes of one object of this field. Type conditions that do not match count too. */
export function keyBytes({ fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>): number {
  let bytes = 2
  for (const { selectionSet } of fieldNodes) if (selectionSet) bytes += bytesOf(selectionSet, fragments)
  return bytes
}

function bytesOf(set: SelectionSetNode, fragments: GraphQLResolveInfo['fragments']): number {
  const before = known.get(set)
  if (before !== undefined) return before
  const names = new Map<string, number>()
  collect(set, fragments, names, new Set())
  let bytes = 0
  for (const one of names.values()) bytes += one
  known.set(set, bytes)
  return bytes
}

function collect(
  set: SelectionSetNode,
  fragments: GraphQLResolveInfo['fragments'],
  names: Map<string, number>,
  spread: Set<string>,
): void {
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      const name = selection.alias?.value ?? selection.name.value
      names.set(name, name.length + AROUND_A_NAME + (selection.name.value === '__typename' ? TYPE_NAME_BYTES : 0))
    } else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet, fragments, names, spread)
    else if (!spread.has(selection.name.value)) {
      spread.add(selection.name.value)
      const fragment = fragments[selection.name.value]
      if (fragment) collect(fragment.selectionSet, fragments, names, spread)
    }
  }
}
