/** Whether the page is light or dark now: the person's choice, else the system's. */
import { useSyncExternalStore } from 'react'

const system = matchMedia('(prefers-color-scheme: dark)')

function subscribe(hear: () => void): () => void {
  const choice = new MutationObserver(hear)
  choice.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  system.addEventListener('change', hear)
  return () => {
    choice.disconnect()
    system.removeEventListener('change', hear)
  }
}

function shown(): 'light' | 'dark' {
  const { theme } = document.documentElement.dataset
  if (theme === 'light' || theme === 'dark') return theme
  return system.matches ? 'dark' : 'light'
}

/** Renders again when it changes. */
export const useShownTheme = (): 'light' | 'dark' => useSyncExternalStore(subscribe, shown)
