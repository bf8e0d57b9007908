/** Options of the Relay plugin, with descriptions for nodes, pages and their arguments. */
import { invalid } from '../src/platform/errors.ts'
import { decodeNodeId, encodeNodeId } from './node-id.ts'

/** Same as the maximum page size. */
const MAX_NODE_IDS = 100

interface NodeId {
  readonly typename: string
  readonly id: string
}

/** The loader of each type checks visibility. */
const unguarded = { scope: 'none' }

export const relayOptions = {
  encodeGlobalID: encodeNodeId,
  decodeGlobalID: decodeNodeId,
  nodeTypeOptions: { description: 'An object with a global id.' },
  idFieldOptions: { description: 'TypeID; its prefix says the type.' },
  nodeFieldOptions: { nullable: false, description: 'The object.' },
  nodeQueryOptions: {
    description: 'An object by id; null if it does not exist or is not visible to the caller.',
    extensions: unguarded,
    args: { id: { description: 'TypeID, such as `repo_…`.' } },
  },
  nodesQueryOptions: {
    nullable: { list: true, items: true },
    most: MAX_NODE_IDS,
    description: 'Objects by id, in the order requested; null for each one that is not visible to the caller.',
    extensions: unguarded,
    args: { ids: { description: `TypeIDs of any types; at most ${MAX_NODE_IDS}, else 422.` } },
    resolve: (
      _root: unknown,
      { ids }: { readonly ids: readonly NodeId[] },
      _ctx: unknown,
      _info: unknown,
      resolveNodes: (ids: NodeId[]) => Promise<unknown[]>,
    ) => {
      if (ids.length > MAX_NODE_IDS) throw invalid('validation.value', `must have at most ${MAX_NODE_IDS} ids`, ['ids'])
      return resolveNodes([...ids])
    },
  },
  edgesFieldOptions: { nullable: false, description: 'The items of the page, each with its cursor.' },
  cursorFieldOptions: { description: 'Cursor of this item, for `after`.' },
  pageInfoFieldOptions: { description: 'Whether there are more pages, and their cursors.' },
  pageInfoTypeOptions: { description: 'Whether there are more pages, and their cursors.' },
  hasNextPageFieldOptions: { description: 'Whether there is a next page.' },
  hasPreviousPageFieldOptions: { description: 'Whether `after` was given.' },
  startCursorFieldOptions: { description: 'Cursor of the first item; null on an empty page.' },
  endCursorFieldOptions: {
    description: 'Cursor of the last item, for `after` of the next page; null on an empty page.',
  },
} as const
