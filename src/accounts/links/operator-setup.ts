/** The way into a new hub without its shell: a link with which the operator's account gets a passkey or a password. */
import type { Auth } from '../../auth/auth.ts'
import { noViewer } from '../../operation/audit.ts'
import { findAccount } from '../find-account.ts'
import { addAccountLink } from './account-links.ts'

/**
 * The path of a setup link for OPERATOR_HANDLE, to be shown once on the terminal and never logged; null where local
 * sign-in is off. For the first start.
 */
export async function addOperatorSetup({ config, db }: Auth): Promise<string | null> {
  if (!config.localSignIn) return null
  const made = await db.withTx(async (tx) => {
    const account = await findAccount(tx, config.operatorHandle, 'user')
    return addAccountLink(tx, noViewer, { kind: 'setup', account })
  })
  return made.path
}
