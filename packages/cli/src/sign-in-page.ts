/** The page on which a person approves `hub login`. */

import { LocalError } from '@hub/client/internal'
import { isOneOrigin } from '@hub/formats/one-origin'

/**
 * The page that the hub at `url` names, if it is its own: of the same scheme, host and port. Another one is refused: a
 * hub could begin a sign-in at another hub, have it approved there under the right code, and keep the key; and a page
 * without TLS could be anyone's.
 */
export function ownPage(uri: string, url: string): string {
  const page = URL.canParse(uri) ? new URL(uri) : null
  if (page === null || !/^https?:$/.test(page.protocol) || page.username !== '' || page.password !== '')
    throw new LocalError(`${url} names no page to sign in at; use \`hub login --paste\`.`)
  const asked = new URL(url)
  if (isOneOrigin(page, asked)) return page.href
  if (page.protocol === 'http:' && asked.protocol === 'https:')
    throw new LocalError(
      `${url} names a page without TLS, ${page.origin}, which was not opened. Ask its operator to set PUBLIC_URL to its https address, or use \`hub login --paste\`.`,
    )
  throw new LocalError(
    `${url} names a page at another address, ${page.origin}: scheme, host or port differ. If that is the address of your hub, use it: hub login --url ${page.origin}`,
  )
}
