/** Whether the palette is open: Ctrl-K or Cmd-K opens and closes it on every page. */
import { useCallback, useEffect, useRef, useState } from 'react'

export function usePalette() {
  const [isOpen, setOpen] = useState(false)
  /** What is typed until the box is there, which is a chunk of its own: null where no box is awaited. */
  const typed = useRef<string | null>(null)
  const open = useCallback(() => {
    typed.current = ''
    setOpen(true)
  }, [])
  const close = useCallback(() => {
    typed.current = null
    setOpen(false)
  }, [])
  /** For the box, once it has the keyboard. */
  const takeTyped = useCallback(() => {
    const text = typed.current ?? ''
    typed.current = null
    return text
  }, [])
  const latest = useRef(isOpen)
  latest.current = isOpen
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) {
        if (typed.current === null) return
        const after = typedAfter(typed.current, event)
        if (after === undefined) return
        event.preventDefault()
        event.stopPropagation()
        if (after === null) close()
        else typed.current = after
        return
      }
      // Another dialog keeps the keyboard until it is answered.
      if (document.querySelector('dialog[open]:not(.palette)')) return
      event.preventDefault()
      if (latest.current) close()
      else open()
    }
    // Before the page, whose own keys are not meant.
    document.addEventListener('keydown', pressed, true)
    return () => document.removeEventListener('keydown', pressed, true)
  }, [open, close])
  return { isOpen, open, close, takeTyped }
}

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>

/** Null where the key closes the palette, undefined where it is not for it. */
export function typedAfter(text: string, { key, ctrlKey, metaKey, altKey }: Key): string | null | undefined {
  if (ctrlKey || metaKey || altKey) return undefined
  if (key === 'Escape') return null
  if (key === 'Backspace') return text.slice(0, -1)
  // Nothing is found yet.
  if (key === 'Enter') return text
  return [...key].length === 1 ? text + key : undefined
}
