/** A connection, page by page: what was loaded stays, and `more` asks for the page after its end. */
import { useEffect, useMemo, useRef, useState } from 'react'
import {
  type AnyVariables,
  type CombinedError,
  type RequestPolicy,
  type TypedDocumentNode,
  type UseQueryArgs,
  useClient,
} from 'urql'
import { type Answer, rootField } from './root-field.ts'
import { useOneAtATime } from './use-one-at-a-time.ts'
import { useReading } from './use-reading.ts'

interface Connection<Node> {
  readonly nodes: readonly Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

export interface Pages<Root, Node> {
  readonly nodes: readonly Node[]
  /** The first page's root field, as `rootField` has it, for what stands next to the connection in it. */
  readonly root: Root | undefined
  /** Of other variables too, while nothing is known of these: for what does not depend on them. */
  readonly kept: Root | undefined
  /** Of this root field; of a later page too. */
  readonly error: CombinedError | undefined
  readonly isLoading: boolean
  /** Whether all pages are there, and have nothing: a search may find nothing before a later one. */
  readonly isEmpty: boolean
  readonly hasMore: boolean
  readonly more: () => void
  /** Asks again for the pages that are shown. */
  readonly refresh: () => void
}

interface Options<Data, Variables, Name extends keyof Data, Node> {
  readonly query: TypedDocumentNode<Data, Variables>
  readonly variables: Variables
  /** The root field that is the connection, or has it. */
  readonly field: Name
  /** Finds the connection in the root field. */
  readonly select: (root: NonNullable<Data[Name]>) => Connection<Node> | null | undefined
  readonly pause?: boolean
  /** Whether nothing that was read before is shown meanwhile: for what a form begins with. */
  readonly isFresh?: boolean
}

/** `select` of a root field that is a connection itself. */
export const itself = <Root>(root: Root): Root => root

/** Other variables begin again. `first` is the answer with the first page, for root fields next to this one. */
export function usePages<
  Data extends object,
  Variables extends AnyVariables & { readonly after?: string | null },
  Name extends keyof Data & string,
  Node,
>(options: Options<Data, Variables, Name, Node>): Pages<Data[Name], Node> & { readonly first: Answer<Data> } {
  const { query, variables, field, select, pause = false, isFresh = false } = options
  const requestPolicy = isFresh ? 'network-only' : 'cache-and-network'
  const [first, again] = useReading({ query, variables, pause, requestPolicy } as UseQueryArgs<Variables, Data>)
  const { value: root, error } = rootField(first, field)
  const page = root ? select(root) : null
  const { later, last, held, moreError, isLoadingMore, more, readAll } = usePagesAfter(options, page)
  const refresh = useOneAtATime(isLoadingMore, () => (later.length > 0 ? void readAll() : again()))
  const connections = useMemo(() => held ?? [page, ...later], [held, page, later])
  const nodes = useMemo(() => connections.flatMap((one) => one?.nodes ?? []), [connections])
  return {
    nodes,
    root,
    kept: root ?? first.kept?.[field],
    error: error ?? moreError,
    isLoading: first.fetching || isLoadingMore,
    isEmpty: root !== undefined && nodes.length === 0 && !last?.pageInfo.hasNextPage,
    hasMore: last?.pageInfo.hasNextPage ?? false,
    more,
    refresh,
    first,
  }
}

/** The pages after `page`, the first one: none at first, and none again once the variables are others. */
function usePagesAfter<
  Data extends object,
  Variables extends AnyVariables & { readonly after?: string | null },
  Name extends keyof Data & string,
  Node,
>(
  { query, variables, field, select }: Options<Data, Variables, Name, Node>,
  page: Connection<Node> | null | undefined,
) {
  const client = useClient()
  const [later, setLater] = useState<readonly Connection<Node>[]>([])
  const [moreError, setMoreError] = useState<CombinedError>()
  const [isLoadingMore, setLoadingMore] = useState(false)
  /** What is shown while a list of several pages is read again: half of an old list and half of a new one is none. */
  const [held, setHeld] = useState<readonly Connection<Node>[]>()
  const key = JSON.stringify(variables)
  // A page that was asked for before is of no list that is shown now.
  const list = useRef({})
  useEffect(() => {
    list.current = {}
    setLater([])
    setMoreError(undefined)
    setLoadingMore(false)
    setHeld(undefined)
  }, [key])
  const last = later.at(-1) ?? page
  /** Reads the page after a cursor. Null where it could not be read, and where another list is shown by then. */
  const pageAfter = async (after: string | null, requestPolicy?: RequestPolicy): Promise<Connection<Node> | null> => {
    const asked = list.current
    const context = requestPolicy && { requestPolicy }
    // The first page is that of the answer above, whose variables may not name the cursor.
    const asks = after === null ? variables : { ...variables, after }
    const answer = await client.query(query, asks as Variables, context).toPromise()
    if (asked !== list.current) return null
    const next = rootField(answer, field)
    setMoreError(next.error)
    return (next.value && select(next.value)) ?? null
  }
  const more = async () => {
    if (!last?.pageInfo.hasNextPage || isLoadingMore) return
    setLoadingMore(true)
    const asked = list.current
    const next = await pageAfter(last.pageInfo.endCursor)
    if (asked !== list.current) return
    setLoadingMore(false)
    if (next) setLater((before) => [...before, next])
  }
  /** As many pages as are shown. */
  const readAll = async () => {
    const asked = list.current
    const shown = [page, ...later].filter((one) => one !== null && one !== undefined)
    setLoadingMore(true)
    setHeld(shown)
    const read: Connection<Node>[] = []
    for (let after: string | null = null; read.length < shown.length; ) {
      const next = await pageAfter(after, 'network-only')
      if (asked !== list.current) return
      if (next) read.push(next)
      if (!next?.pageInfo.hasNextPage) break
      after = next.pageInfo.endCursor
    }
    setLater(read.slice(1))
    setLoadingMore(false)
    setHeld(undefined)
  }
  return { later, last, held, moreError, isLoadingMore, more, readAll }
}
