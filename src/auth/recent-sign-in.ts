/** What needs a person who has just proved who they are. Contract, "Signing in from a browser". */
import type { Credentialed, Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { assertSession } from './policy.ts'

/**
 * A session whose person has signed in within the last 15 minutes: a browser that was left open approves nothing. 401
 * and 403 as `assertSession`, then 403 `forbidden.old_sign_in`.
 */
export function assertRecentSignIn(viewer: Viewer): Credentialed & { readonly personId: string } {
  const session = assertSession(viewer)
  if (session.isRecentSignIn) return session
  throw new HubError(
    'forbidden.old_sign_in',
    'This needs a sign-in of the last 15 minutes: sign in again at /login, or use a new session, then repeat it.',
  )
}
