/** Links and addresses. All paths come from the hub's table of pages. */

import { matchPage, type PageName, type PageParams, pagePath } from '@hub/formats/page-paths'
import type { ReactNode } from 'react'
import { Link as PathLink, useLocation, useSearch, useSearchParams } from 'wouter'

export { useSearch, useSearchParams }

interface LinkProps<Name extends PageName> {
  readonly to: Name
  readonly params: PageParams<Name>
  /** Appended as `?name=value`. */
  readonly query?: Readonly<Record<string, string>>
  readonly className?: string
  readonly children: ReactNode
  readonly title?: string
  /** Whether it leads to what is shown: said to a screen reader. */
  readonly isCurrent?: boolean
}

/** A link to a page of the hub. */
export function Link<Name extends PageName>({ to, params, query, isCurrent = false, ...rest }: LinkProps<Name>) {
  const search = query ? `?${new URLSearchParams(query)}` : ''
  const current = isCurrent ? ({ 'aria-current': 'page' } as const) : {}
  return <PathLink href={`${pagePath(to, params)}${search}`} {...current} {...rest} />
}

/** The page at the current address. */
export function usePage() {
  const [path] = useLocation()
  return { path, match: matchPage(path) }
}

/** The page that names the ways to sign in, and leads back here. */
export function signInPath(): string {
  const here = `${location.pathname}${location.search}`
  const login = pagePath('login', {})
  return location.pathname === login ? here : `${login}?${new URLSearchParams({ return_to: here })}`
}
