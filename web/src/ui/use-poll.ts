/** Asks again and again while the page is seen: a tab in the background asks nothing, and once when it comes back. */
import { useEffect, useRef } from 'react'

export function usePoll(ask: () => void, everyMs: number): void {
  const callback = useRef(ask)
  callback.current = ask
  useEffect(() => {
    let askedAt = Date.now()
    const askIfDue = () => {
      if (document.hidden || Date.now() - askedAt < everyMs) return
      askedAt = Date.now()
      callback.current()
    }
    const timer = setInterval(askIfDue, everyMs)
    document.addEventListener('visibilitychange', askIfDue)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', askIfDue)
    }
  }, [everyMs])
}
