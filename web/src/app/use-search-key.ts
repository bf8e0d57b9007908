/**
 * `/` goes to the search of the page, as on other sites of code; where a page has none, to the search of repos. Escape
 * empties and leaves it.
 */

import { pagePath } from '@hub/formats/page-paths'
import { useEffect } from 'react'
import { useLocation } from 'wouter'

/** What a person writes in: there `/` is a letter. */
const written = 'input, textarea, select, [contenteditable]'

export function useSearchKey(): void {
  const [, go] = useLocation()
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const on = event.target instanceof Element ? event.target : null
      if (event.key === 'Escape' && on?.matches('input[type=search]')) return (on as HTMLInputElement).blur()
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || on?.closest(written)) return
      if (document.querySelector('dialog[open]')) return
      event.preventDefault()
      const search = document.querySelector<HTMLInputElement>('main input[type=search]')
      if (search) search.focus()
      else go(pagePath('repos', {}))
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [go])
}
