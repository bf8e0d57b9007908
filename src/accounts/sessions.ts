/** Sessions are rows that expire or are revoked. The hub's own session token only names its row. */

import { newId } from '@hub/formats/ids'
import { disabledAccount } from '../auth/admitted.ts'
import type { Auth } from '../auth/auth.ts'
import { signSession } from '../auth/session-token.ts'
import { type AuditContext, audit } from '../operation/audit.ts'
import type { Credentialed } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { insertSelected, sql } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'

export interface CreatedSession {
  readonly id: string
  readonly token: string
  /** RFC 3339. */
  readonly expiresAt: string
}

/** How a person signed in, where it is the hub itself that knows them. */
export type SignInWay = 'password' | 'passkey' | 'setup' | 'invitation' | 'reset'

const expiresAtColumn = columns({ expiresAt: column.timestamptz('expires_at') })

const sessionRow = insertSelected('sessions', {
  id: param.text(),
  accountId: param.text(),
  userAgent: param.text.orNull(),
  expiresAt: sql('now() + make_interval(secs => :ttlSeconds)', { ttlSeconds: param.float8() }),
  signedInAt: sql('now() - make_interval(secs => :signedInSecondsAgo)', { signedInSecondsAgo: param.float8.orNull() }),
})

const insertSession = statement({
  name: 'session-insert',
  columns: expiresAtColumn,
  params: sessionRow.params,
  text: `${sessionRow.sql} from accounts a where a.id = :accountId and a.disabled_at is null
    returning ${expiresAtColumn.sql}`,
})

const MAX_USER_AGENT = 256

const idColumn = columns({ id: column.text('id') })

export const revokeRow = statement({
  name: 'session-revoke',
  columns: idColumn,
  params: { id: param.text() },
  text: `update sessions set revoked_at = now() where id = :id and revoked_at is null returning ${idColumn.sql}`,
})

/**
 * Creates a session for a user with `ttlSeconds` and returns its token, which is not stored. `userAgent` is the header
 * of the browser that signs in; `signedInSecondsAgo` tells when the person proved who they are, null if that is not
 * known; `way` is how, and `passkeyId` by which passkey, for the audit log. 401 `auth.disabled` for a user whom the
 * operator keeps out.
 */
export async function openSession({
  auth,
  tx,
  ctx,
  user,
  ttlSeconds,
  userAgent = null,
  signedInSecondsAgo = 0,
  way,
  passkeyId,
}: {
  readonly auth: Auth
  readonly tx: Querier
  readonly ctx: AuditContext
  readonly user: { readonly id: string }
  readonly ttlSeconds: number
  readonly userAgent?: string | null
  readonly signedInSecondsAgo?: number | null
  readonly way?: SignInWay
  readonly passkeyId?: string
}): Promise<CreatedSession> {
  const id = newId('sess')
  const [row] = await tx.query(insertSession, {
    id,
    accountId: user.id,
    userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null,
    ttlSeconds,
    signedInSecondsAgo,
  })
  if (!row) throw disabledAccount()
  const { expiresAt } = row
  const token = await signSession(auth.keys, { accountId: user.id, sessionId: id }, new Date(expiresAt))
  const after = { expiresAt, way, passkeyId }
  await audit(tx, ctx, { action: 'session.create', accountId: user.id, targetId: id, after })
  return { id, token, expiresAt }
}

/** Revokes a session: its token, or the identity provider's token behind it, is 401 from then on. */
export async function revokeSession(auth: Auth, ctx: AuditContext, session: Credentialed): Promise<void> {
  await auth.db.withTx(async (tx) => {
    const [revoked] = await tx.query(revokeRow, { id: session.credentialId })
    if (revoked) await audit(tx, ctx, { action: 'session.revoke', accountId: session.account.id, targetId: revoked.id })
  })
}
