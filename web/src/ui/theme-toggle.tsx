/** Changes between light, dark and the system's theme. */
import { useState } from 'react'
import { applyTheme, readTheme, type Theme } from '../app/theme.ts'

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const signs: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' }

export function ThemeToggle() {
  const [theme, setTheme] = useState(readTheme)
  const change = () => {
    applyTheme(next[theme])
    setTheme(next[theme])
  }
  return (
    <button
      type="button"
      className="button plain"
      onClick={change}
      aria-label={`Theme: ${theme}`}
      title={`Theme: ${theme}`}
    >
      <span aria-hidden="true">{signs[theme]}</span>
    </button>
  )
}
