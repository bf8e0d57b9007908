/** The first account of a hub: the person who starts it has to sign in before any identity provider is configured. */
import type { Auth } from '../auth/auth.ts'
import { takeHandle } from '../auth/handle.ts'
import { audit, noViewer } from '../operation/audit.ts'
import { openSession } from './sessions.ts'

/**
 * Makes the OPERATOR_HANDLE user at the first start and returns a session token for it; null at every later start, and where another
 * instance was first. The token is shown once and not kept.
 */
export async function ensureOperator(auth: Auth): Promise<string | null> {
  const handle = auth.config.operatorHandle
  return auth.db.withTx(async (tx) => {
    const user = await takeHandle(tx, 'user', handle, null)
    if (user === null) return null
    await audit(tx, noViewer, { action: 'user.create', accountId: user.id, targetId: user.id, after: { handle } })
    const session = await openSession(auth, tx, noViewer, user, auth.config.sessionTtlSeconds)
    return session.token
  })
}
