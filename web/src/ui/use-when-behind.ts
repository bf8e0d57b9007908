/** Reads a page again when a subscription is at another stage: a page reads more than what is sent of a change. */
import { useEffect, useRef } from 'react'

/**
 * The stage of the answer that the page shows and the one that was sent last; undefined or null before they are known.
 * Either may come first. Each stage that is sent is read for once, as it may be older than the answer.
 */
export function useWhenBehind(
  answered: string | null | undefined,
  sent: string | null | undefined,
  read: () => void,
): void {
  const readFor = useRef<string>(undefined)
  const callback = useRef(read)
  callback.current = read
  useEffect(() => {
    if (!answered || !sent || sent === answered || sent === readFor.current) return
    readFor.current = sent
    callback.current()
  }, [answered, sent])
}
