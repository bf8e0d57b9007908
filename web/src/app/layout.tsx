/** The bar at the top with the sections of the hub, and the account of the person. */

import type { PageName } from '@hub/formats/page-paths'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Avatar } from '../ui/avatar.tsx'
import { asksToSignIn, kindOf, messageOf } from '../ui/problem.ts'
import { ThemeToggle } from '../ui/theme-toggle.tsx'
import './layout.css'
import { Link, signInPath, usePage } from './navigate.tsx'
import { usePalette } from './palette/use-palette.ts'
import { useSession } from './session.tsx'
import { useSearchKey } from './use-search-key.ts'

/** After the first page's script: it is for those who are signed in. */
const Bell = lazy(async () => ({ default: (await import('../pages/holds/bell.tsx')).Bell }))

const Palette = lazy(async () => ({ default: (await import('./palette/palette.tsx')).Palette }))

type Section = Extract<PageName, 'repos' | 'runs' | 'checks' | 'endpoints' | 'holds' | 'spend'>

/** `members`: shown to those who are signed in. */
const sections: readonly { readonly to: Section; readonly title: string; readonly members: boolean }[] = [
  { to: 'repos', title: 'Repos', members: false },
  { to: 'runs', title: 'Runs', members: true },
  { to: 'checks', title: 'Checks', members: true },
  { to: 'endpoints', title: 'Endpoints', members: true },
  { to: 'holds', title: 'Approvals', members: true },
  { to: 'spend', title: 'Spend', members: true },
]

export function Layout({ children }: { readonly children: ReactNode }) {
  const { path } = usePage()
  const { viewer } = useSession()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(false), [path])
  const palette = usePalette()
  useSearchKey(palette.open)
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <header className="topbar">
        <div className="topbar-row">
          <Link to="home" params={{}} className="brand">
            <img src="/favicon.svg" alt="" width={24} height={24} /> Hub
          </Link>
          <button
            type="button"
            className="button menu-button"
            aria-expanded={isOpen}
            aria-controls="sections"
            onClick={() => setOpen(!isOpen)}
          >
            Menu
          </button>
          <nav id="sections" aria-label="Sections" className={isOpen ? 'sections open' : 'sections'}>
            {sections
              .filter(({ members }) => !members || viewer)
              .map(({ to, title }) => (
                <Link
                  key={to}
                  to={to}
                  params={{}}
                  className={path.startsWith(`/${to}`) ? 'section current' : 'section'}
                  isCurrent={path.startsWith(`/${to}`)}
                >
                  {title}
                </Link>
              ))}
          </nav>
          <div className="topbar-end">
            <button
              type="button"
              className="button plain"
              onClick={palette.open}
              aria-keyshortcuts="Control+K /"
              title="Search (Ctrl K)"
            >
              <svg className="search-sign" viewBox="0 0 24 24" width={18} height={18} aria-hidden="true">
                <path d="M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Zm4.8 11.3L20 20" />
              </svg>
              <span className="visually-hidden">Search</span>
            </button>
            <DeciderBell />
            <ThemeToggle />
            <Account />
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {palette.isOpen && (
        <Suspense fallback={null}>
          <Palette close={palette.close} takeTyped={palette.takeTyped} />
        </Suspense>
      )}
      <footer className="footer">
        <Link to="developers" params={{}}>
          Developers
        </Link>
        <a href="/graphql">GraphiQL</a>
        <a href="/docs">REST API</a>
        <a href="/problems">Errors</a>
        <a href="/readyz">Status</a>
      </footer>
    </>
  )
}

/** For a session alone: no key may decide. */
function DeciderBell() {
  const { viewer } = useSession()
  if (viewer?.kind !== 'SESSION') return null
  const accountIds = [viewer.account.id, ...viewer.orgs.map(({ id }) => id)]
  return (
    <Suspense fallback={null}>
      <Bell accountIds={accountIds} />
    </Suspense>
  )
}

function Account() {
  const { viewer, isLoading, error, again } = useSession()
  if (isLoading) return null
  // The cookie stays until then, so that each page says why nothing is shown.
  if (error && kindOf(error) === 'auth.disabled')
    return (
      <form method="post" action="/auth/logout">
        <button type="submit" className="button" title={messageOf(error)}>
          Account disabled: sign out
        </button>
      </form>
    )
  if (error && !asksToSignIn(error))
    return (
      <button type="button" className="button" title={messageOf(error)} onClick={again}>
        Account: try again
      </button>
    )
  if (!viewer)
    return (
      <a className="button primary" href={signInPath()}>
        Sign in
      </a>
    )
  return (
    <details className="account-menu" key={location.pathname}>
      <summary title={viewer.account.handle}>
        <Avatar account={viewer.account} /> <span className="account-name">{viewer.account.handle}</span>
      </summary>
      <div className="account-menu-items">
        <Link to="account" params={{ handle: viewer.account.handle }}>
          Your repos
        </Link>
        <Link to="keys" params={{}}>
          API keys
        </Link>
        <Link to="orgs" params={{}}>
          Organizations
        </Link>
        <Link to="audit" params={{}}>
          Audit log
        </Link>
        <Link to="settings" params={{}}>
          Settings
        </Link>
        {viewer.isOperator && (
          <Link to="operator" params={{}}>
            Operator
          </Link>
        )}
        <form method="post" action="/auth/logout">
          <button type="submit">Sign out</button>
        </form>
      </div>
    </details>
  )
}
