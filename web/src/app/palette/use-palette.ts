/** Whether the palette is open: Ctrl-K or Cmd-K opens and closes it on every page. */
import { useCallback, useEffect, useState } from 'react'

export function usePalette() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      // Another dialog keeps the keyboard until it is answered.
      if (document.querySelector('dialog[open]:not(.palette)')) return
      event.preventDefault()
      setOpen((before) => !before)
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [])
  return { isOpen, open: useCallback(() => setOpen(true), []), close: useCallback(() => setOpen(false), []) }
}
