/** A query whose answer is always of its variables, and which is read again one request at a time. */
import { createRequest } from '@urql/core'
import { useMemo, useRef } from 'react'
// biome-ignore lint/style/noRestrictedImports: the one use, which all others go through
import { type AnyVariables, type CombinedError, type UseQueryArgs, useQuery } from 'urql'
import { useOneAtATime } from './use-one-at-a-time.ts'

interface Reading<Data> {
  readonly data: Data | undefined
  readonly error: CombinedError | undefined
  /** Of other variables too, while nothing is known of these: for what does not depend on them. */
  readonly kept: Data | undefined
  readonly fetching: boolean
}

/** The second is the same function as long as the component is there; a failed reading is tried again by it too. */
export function useReading<Data, Variables extends AnyVariables>(
  args: UseQueryArgs<Variables, Data>,
): readonly [Reading<Data>, () => void] {
  const [answer, again] = useQuery(args)
  const { query, variables } = args
  const { key } = useMemo(() => createRequest(query, variables as Variables), [query, variables])
  const { data, error, fetching, stale, operation } = answer
  // urql keeps the answer to other variables until the one to these is there.
  const isOfThese = operation === undefined || operation.key === key
  const read = useRef<{ readonly key: number; readonly data: Data }>(undefined)
  if (isOfThese && data) read.current = { key, data }
  else if (isOfThese && error && !isAway(error)) read.current = undefined
  // urql forgets the error of a failed reading while it asks again.
  const isUnknown = error ? isAway(error) : fetching
  const before = isUnknown && read.current?.key === key ? read.current.data : undefined
  const refresh = useOneAtATime(fetching || stale, () => again({ requestPolicy: 'network-only' }))
  const found = isOfThese ? { data: data ?? before, error } : { data: undefined, error: undefined }
  return [{ ...found, kept: data ?? before, fetching }, refresh]
}

/** Whether the hub did not answer: what was read before is as true as it was, and stays next to the error. */
const isAway = (error: CombinedError) => error.networkError !== undefined || error.response?.status === 503
