/** Where a person goes after signing in. */

/** The path of `wanted` if that is a page of this hub, else `/`: a link to the sign-in page leads to no other site. */
export function pathToReturnTo(wanted: string | null, origin: string): string {
  if (!wanted?.startsWith('/') || !URL.canParse(wanted, origin)) return '/'
  const url = new URL(wanted, origin)
  const path = `${url.pathname}${url.search}${url.hash}`
  return url.origin === origin && !path.startsWith('//') ? path : '/'
}
