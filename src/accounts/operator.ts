/** The first account of a hub, so that its operator can sign in before an identity provider is configured. */
import type { Auth } from '../auth/auth.ts'
import { takeHandle } from '../auth/handle.ts'
import { audit, noViewer } from '../operation/audit.ts'
import { openSession } from './sessions.ts'

/**
 * Creates the OPERATOR_HANDLE user at the first start and returns a session token; null at every later start, and if
 * another instance was first. The token is shown once and not stored.
 */
export async function ensureOperator(auth: Auth): Promise<string | null> {
  const handle = auth.config.operatorHandle
  return auth.db.withTx(async (tx) => {
    const user = await takeHandle(tx, 'user', handle, null)
    if (user === null) return null
    await audit(tx, noViewer, { action: 'user.create', accountId: user.id, targetId: user.id, after: { handle } })
    const session = await openSession({ auth, tx, ctx: noViewer, user, ttlSeconds: auth.config.sessionTtlSeconds })
    return session.token
  })
}
