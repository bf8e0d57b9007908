/** Follows the lists of accounts: each change of one calls back, so that the list is read again. */
import { useEffect, useRef } from 'react'
import { type AnyVariables, type TypedDocumentNode, useSubscription } from 'urql'

interface Props<Data, Variables extends AnyVariables> {
  readonly query: TypedDocumentNode<Data, Variables>
  /** Of each account that is followed. */
  readonly owners: readonly string[]
  readonly changed: () => void
}

/** `query` takes `$owner`. Renders nothing. */
export function Live<Data, Variables extends AnyVariables>({ owners, ...rest }: Props<Data, Variables>) {
  return owners.map((owner) => <LiveOne key={owner} owner={owner} {...rest} />)
}

/** Several changes at once are one reading. */
const SETTLE_MS = 250

function LiveOne<Data, Variables extends AnyVariables>({
  query,
  owner,
  changed,
}: Omit<Props<Data, Variables>, 'owners'> & { readonly owner: string }) {
  const [{ data }] = useSubscription({ query, variables: { owner } as unknown as Variables })
  const callback = useRef(changed)
  callback.current = changed
  // Begun by the first of several changes: a list that changes all the time is read all the same.
  const due = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (!data) return
    due.current ??= setTimeout(() => {
      due.current = undefined
      callback.current()
    }, SETTLE_MS)
  }, [data])
  useEffect(
    () => () => {
      clearTimeout(due.current)
      due.current = undefined
    },
    [],
  )
  return null
}
