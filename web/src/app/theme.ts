/** Light, dark, or what the system says; kept in this browser. */

export type Theme = 'light' | 'dark' | 'system'
const KEY = 'hub-theme'

export function readTheme(): Theme {
  const kept = globalThis.localStorage?.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** Sets the theme of the document, and keeps it if one is given. */
export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === 'system') {
    localStorage.removeItem(KEY)
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem(KEY, theme)
    document.documentElement.dataset.theme = theme
  }
}
