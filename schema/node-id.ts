/** Node ids are the TypeIDs themselves: the prefix says the type, so both dialects show the same id. */
import type { IdPrefix } from '@hub/formats/ids'

const typeByPrefix = new Map<string, string>()

/** Says which type `node(id)` returns for ids with this prefix: next to the type, which has to be a node. */
export function nodeIds(prefix: IdPrefix, typename: string): void {
  typeByPrefix.set(prefix, typename)
}

/** The id as stored. */
export function encodeNodeId(_typename: string, id: string | number | bigint): string {
  return String(id)
}

/** The node type for an id's prefix. An id of any other type is looked up as a repo, so it resolves to null. */
export function decodeNodeId(globalId: string): { typename: string; id: string } {
  return { typename: typeByPrefix.get(globalId.slice(0, globalId.indexOf('_'))) ?? 'Repo', id: globalId }
}
