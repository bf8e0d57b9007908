/** Whether a credential that the hub knows is let in. */
import { HubError } from '../platform/errors.ts'

/**
 * Whether a credential is live. 401 `auth.disabled` for that of an account that the operator has disabled: who sends it
 * has the credential, so saying why tells a guesser nothing. Sessions that the disabling ended get it too.
 */
export function isAdmitted(row: { readonly live: boolean; readonly disabled: boolean }): boolean {
  if (row.disabled) throw disabledAccount()
  return row.live
}

/** The error for who acts as a disabled account. */
export function disabledAccount(): HubError {
  return new HubError('auth.disabled', 'The operator of this hub has disabled this account. Ask the operator why.', {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
}
