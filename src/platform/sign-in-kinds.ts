/** Rows of the table of error types: how people sign in, and how recently. */
import { type ErrorKind, kind } from './error-kind.ts'

export const signIns = {
  'auth.disabled': kind(
    401,
    'UNAUTHENTICATED',
    'Account disabled',
    'The operator of the hub has disabled the account; only the operator can enable it again.',
  ),
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
  'quota.orgs': kind(
    429,
    'RATE_LIMITED',
    'Too many organizations',
    'A person is in as many organizations as one may be in; they leave one first.',
  ),
  'quota.passkeys': kind(
    429,
    'RATE_LIMITED',
    'Too many passkeys',
    'A person has as many passkeys as one may; remove one first.',
  ),
  'conflict.last_sign_in': kind(
    409,
    'CONFLICT',
    'Last way to sign in',
    'A person needs at least one way to sign in; set a password or add another passkey first.',
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
    'Passwords and passkeys not in use',
    'This deployment has no sign-in with passwords and passkeys (LOCAL_SIGN_IN=no).',
  ),
  'not_configured.passkeys': kind(
    503,
    'NOT_CONFIGURED',
    'Passkeys not in use',
    'The address of this deployment has neither https and a name nor is it localhost (PUBLIC_URL).',
  ),
} as const satisfies Record<string, ErrorKind>
