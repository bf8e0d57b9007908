/** A connection, page by page: what was loaded stays, and `more` asks for the page after its end. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type AnyVariables, type CombinedError, type TypedDocumentNode, useClient, useQuery } from 'urql'
import { type Answer, rootField } from './root-field.ts'

interface Connection<Node> {
  readonly nodes: readonly Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

export interface Pages<Root, Node> {
  readonly nodes: readonly Node[]
  /** The first page's root field, as `rootField` has it, for what stands next to the connection in it. */
  readonly root: Root | undefined
  /** Of this root field; of a later page too. */
  readonly error: CombinedError | undefined
  readonly isLoading: boolean
  /** Whether all pages are there, and have nothing: a search may find nothing before a later one. */
  readonly isEmpty: boolean
  readonly hasMore: boolean
  readonly more: () => void
  /** Asks for the first page again. */
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
  const { query, variables, field, select, pause = false } = options
  const client = useClient()
  const [first, again] = useQuery({ query, variables, pause })
  const [later, setLater] = useState<readonly Connection<Node>[]>([])
  const [moreError, setMoreError] = useState<CombinedError>()
  const [isLoadingMore, setLoadingMore] = useState(false)
  const key = JSON.stringify(variables)
  // A page that was asked for before is of no list that is shown now.
  const list = useRef({})
  const begin = useCallback(() => {
    list.current = {}
    setLater([])
    setMoreError(undefined)
    setLoadingMore(false)
  }, [])
  useEffect(begin, [key])
  const { value: root, error } = rootField(first, field)
  const page = root ? select(root) : null
  const last = later.at(-1) ?? page
  const more = useCallback(async () => {
    if (!last?.pageInfo.hasNextPage || isLoadingMore) return
    setLoadingMore(true)
    const asked = list.current
    const answer = await client.query(query, { ...variables, after: last.pageInfo.endCursor } as Variables).toPromise()
    if (asked !== list.current) return
    setLoadingMore(false)
    const next = rootField(answer, field)
    setMoreError(next.error)
    const connection = next.value && select(next.value)
    if (connection) setLater((before) => [...before, connection])
  }, [client, query, variables, field, select, last, isLoadingMore])
  const nodes = useMemo(() => [page, ...later].flatMap((one) => one?.nodes ?? []), [page, later])
  return {
    nodes,
    root,
    error: error ?? moreError,
    isLoading: first.fetching || isLoadingMore,
    isEmpty: root !== undefined && nodes.length === 0 && !last?.pageInfo.hasNextPage,
    hasMore: last?.pageInfo.hasNextPage ?? false,
    more,
    refresh: () => {
      begin()
      again({ requestPolicy: 'network-only' })
    },
    first,
  }
}
