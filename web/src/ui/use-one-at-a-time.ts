/** Asks one at a time: what is wanted while a request is on its way is asked for once, when it has come. */
import { useCallback, useEffect, useRef } from 'react'

/**
 * urql gives up a request when it is asked again. On a slow hub a list that changes, or that is looked at every few
 * seconds, would never come.
 */
export function useOneAtATime(isAsking: boolean, ask: () => void): () => void {
  const isWanted = useRef(false)
  const latest = useRef({ isAsking, ask })
  latest.current = { isAsking, ask }
  useEffect(() => {
    if (isAsking || !isWanted.current) return
    isWanted.current = false
    latest.current.ask()
  }, [isAsking])
  return useCallback(() => {
    if (latest.current.isAsking) isWanted.current = true
    else latest.current.ask()
  }, [])
}
