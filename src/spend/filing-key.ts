/**
 * Looks up the key that filed a hold, in its current state. Spec: "job created from the recorded request, as the key
 * that asked".
 */
import { keysById, keyViewer } from '../auth/credential-rows.ts'
import { hasLevel } from '../auth/policy.ts'
import type { SpendHold } from '../billing/holds/hold-shape.ts'
import type { Credentialed, ScopeLevel } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import type { Querier } from '../store/db.ts'

/**
 * The viewer of the filing key; 409 `conflict.key_gone` if the key was revoked, has expired, is of a disabled account,
 * lost the scope, or no longer acts for the account.
 */
export async function filingViewer(querier: Querier, hold: SpendHold, level: ScopeLevel): Promise<Credentialed> {
  const [key] = await querier.query(keysById, { ids: [hold.filedBy] })
  if (!key?.live) throw gone(hold, 'was revoked or has expired')
  if (key.disabled) throw gone(hold, 'is of an account that the operator has disabled')
  const viewer = keyViewer(key)
  if (!hasLevel(viewer, level)) throw gone(hold, `no longer has the scope key:${level}`)
  if (!viewer.accountIds.includes(hold.account.id)) throw gone(hold, `is no longer of ${hold.account.handle}`)
  return viewer
}

function gone({ filedByName }: SpendHold, why: string): HubError {
  return new HubError('conflict.key_gone', `The key ${JSON.stringify(filedByName)}, which filed the hold, ${why}.`)
}
