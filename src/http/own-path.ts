/** Where a sign-in returns to. */

/** A path of this hub, otherwise `/`: a sign-in never redirects to another site. */
export function ownPath(returnTo: unknown): string {
  if (typeof returnTo !== 'string' || !returnTo.startsWith('/')) return '/'
  const base = 'http://hub.invalid'
  if (!URL.canParse(returnTo, base)) return '/'
  const url = new URL(returnTo, base)
  const path = `${url.pathname}${url.search}${url.hash}`
  return url.origin === base && !path.startsWith('//') ? path : '/'
}
