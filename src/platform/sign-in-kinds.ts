/** Rows of the table of error types: how people sign in, and how recently. */
import { type ErrorKind, kind } from './error-kind.ts'

export const signIns = {
  'auth.link': kind(
    401,
    'UNAUTHENTICATED',
    'Link does not work',
    'The link was used or withdrawn, has expired or is incomplete; ask for a new one.',
  ),
  'quota.invitations': kind(
    429,
    'RATE_LIMITED',
    'Too many invitations',
    'As many invitations wait as may; withdraw one, or let one be accepted.',
  ),
  'forbidden.old_sign_in': kind(
    403,
    'FORBIDDEN',
    'Sign in again',
    'The operation needs a session whose person has signed in within the last 15 minutes.',
  ),
  'not_configured.oidc': kind(
    503,
    'NOT_CONFIGURED',
    'Sign-in not configured',
    'This deployment has no identity provider (OIDC_ISSUER is not set).',
  ),
  'not_configured.local_sign_in': kind(
    503,
    'NOT_CONFIGURED',
    'Passwords not in use',
    'This deployment has no sign-in with passwords (LOCAL_SIGN_IN=no).',
  ),
} as const satisfies Record<string, ErrorKind>
