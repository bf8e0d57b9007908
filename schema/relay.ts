/** What the Relay plugin adds to the graph, in the words of this one: nodes, pages and their arguments. */
import { invalid } from '../src/platform/errors.ts'
import { decodeNodeId, encodeNodeId } from './node-id.ts'

/** As many as a page has at most. */
const MAX_NODE_IDS = 100

interface NodeId {
  readonly typename: string
  readonly id: string
}

const forwardOnly = 'Not used: listings are read forward; 422 when given.'

/** Each type's loader asks who may see its things. */
const unguarded = { scope: 'none' }

export const relayOptions = {
  encodeGlobalID: encodeNodeId,
  decodeGlobalID: decodeNodeId,
  nodeTypeOptions: { description: 'Anything that has an id of its own.' },
  idFieldOptions: { description: 'TypeID; its prefix says the type.' },
  nodeFieldOptions: { nullable: false, description: 'The thing itself.' },
  nodeQueryOptions: {
    description: 'Anything with an id, or null where it does not exist or is not visible to the caller.',
    extensions: unguarded,
    args: { id: { description: 'TypeID, such as `repo_…`.' } },
  },
  nodesQueryOptions: {
    description: 'Several things by id, in the order asked; null in the place of each that is not visible.',
    extensions: unguarded,
    args: { ids: { description: `TypeIDs, of any types: ${MAX_NODE_IDS} at most, else 422.` } },
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
  edgesFieldOptions: { nullable: false, description: 'The things of the page, each with its cursor.' },
  cursorFieldOptions: { description: 'Where the page after this one begins: goes into `after`.' },
  pageInfoFieldOptions: { description: 'Whether and where the listing goes on.' },
  pageInfoTypeOptions: { description: 'Whether and where a listing goes on.' },
  hasNextPageFieldOptions: { description: 'Whether more follow.' },
  hasPreviousPageFieldOptions: { description: 'Whether the page was asked for with `after`.' },
  startCursorFieldOptions: { description: 'Cursor of the first on the page; null on an empty one.' },
  endCursorFieldOptions: { description: 'Cursor of the last on the page: goes into `after`; null on an empty one.' },
  firstArgOptions: { description: 'How many, 1 to 100; 20 by default.' },
  afterArgOptions: { description: 'Cursor of the page before, which made it for the same arguments.' },
  lastArgOptions: { description: forwardOnly },
  beforeArgOptions: { description: forwardOnly },
} as const
