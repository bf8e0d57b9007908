import './ui/tokens.css'
import './ui/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { applyTheme } from './app/theme.ts'

applyTheme()
// A browser keeps a page that it left, and shows it again on "back", as it was: after a sign-out too.
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return
  document.documentElement.hidden = true
  location.reload()
})
const root = document.getElementById('root')
if (!root) throw new Error('The page has no root element.')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
