/**
 * `/` goes to the search of the page, as on other sites of code; where a page has none, it opens the palette. Escape
 * empties and leaves the search.
 */

import { useEffect } from 'react'

/** What a person writes in: there `/` is a letter. */
const written = 'input, textarea, select, [contenteditable]'

export function useSearchKey(open: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const on = event.target instanceof Element ? event.target : null
      if (event.key === 'Escape' && on?.matches('main input[type=search]')) return (on as HTMLInputElement).blur()
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || on?.closest(written)) return
      if (document.querySelector('dialog[open]')) return
      event.preventDefault()
      const search = document.querySelector<HTMLInputElement>('main input[type=search]')
      if (search) search.focus()
      else open()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [open])
}
