/** A row that scrolls on a phone shows the part that is current. */
import { useEffect, useRef } from 'react'

/** For the row; `current` changes with what is current, which has `aria-current`. */
export function useCurrentInView(current: string | undefined) {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const shown = current === undefined ? null : row.current?.querySelector('[aria-current]')
    if (!row.current || !shown) return
    // Sideways alone: the page itself stays where it is.
    const [own, its] = [row.current.getBoundingClientRect(), shown.getBoundingClientRect()]
    if (its.right > own.right) row.current.scrollLeft += its.right - own.right
    else if (its.left < own.left) row.current.scrollLeft -= own.left - its.left
  }, [current])
  return row
}
