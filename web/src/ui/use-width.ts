/** The width of an element, in CSS pixels: a picture is drawn for it, so that its text keeps its size. */
import { type RefObject, useEffect, useRef, useState } from 'react'

/** `first`: the width until the element is there. */
export function useWidth<T extends Element>(first: number): readonly [RefObject<T | null>, number] {
  const ref = useRef<T>(null)
  const [width, setWidth] = useState(first)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth || first))
    observer.observe(element)
    return () => observer.disconnect()
  }, [first])
  return [ref, width]
}
