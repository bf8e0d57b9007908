/** A connection, page by page: what was loaded stays, and `more` asks for the page after its end. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type AnyVariables, type CombinedError, type TypedDocumentNode, useClient, useQuery } from 'urql'

interface Connection<Node> {
  readonly nodes: readonly Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

export interface Pages<Data, Node> {
  readonly nodes: readonly Node[]
  /** The first page's answer, for what stands beside the connection. */
  readonly data: Data | undefined
  readonly error: CombinedError | undefined
  readonly isLoading: boolean
  readonly hasMore: boolean
  readonly more: () => void
  /** Asks for the first page again. */
  readonly refresh: () => void
}

/** `select` finds the connection in the answer. Other variables begin anew. */
export function usePages<Data, Variables extends AnyVariables & { readonly after?: string | null }, Node>(options: {
  readonly query: TypedDocumentNode<Data, Variables>
  readonly variables: Variables
  readonly select: (data: Data) => Connection<Node> | null | undefined
  readonly pause?: boolean
}): Pages<Data, Node> {
  const { query, variables, select, pause = false } = options
  const client = useClient()
  const [{ data, error, fetching }, again] = useQuery({ query, variables, pause })
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
  const first = data ? select(data) : null
  const last = later.at(-1) ?? first
  const more = useCallback(async () => {
    if (!last?.pageInfo.hasNextPage || isLoadingMore) return
    setLoadingMore(true)
    const asked = list.current
    const answer = await client.query(query, { ...variables, after: last.pageInfo.endCursor } as Variables).toPromise()
    if (asked !== list.current) return
    setLoadingMore(false)
    setMoreError(answer.error)
    const page = answer.data && select(answer.data)
    if (page) setLater((before) => [...before, page])
  }, [client, query, variables, select, last, isLoadingMore])
  const nodes = useMemo(() => [first, ...later].flatMap((page) => page?.nodes ?? []), [first, later])
  return {
    nodes,
    data,
    error: error ?? moreError,
    isLoading: fetching || isLoadingMore,
    hasMore: last?.pageInfo.hasNextPage ?? false,
    more,
    refresh: () => {
      begin()
      again({ requestPolicy: 'network-only' })
    },
  }
}
