/**
 * A person ends their own sign-in sessions, for example after the loss of a laptop.
 * Contract, "Signing in from a browser".
 */

import { isId } from '@hub/formats/ids'
import { invalidCredential } from '../auth/authenticate.ts'
import { assertSession } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { RequestContext } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { revokeRow } from './sessions.ts'

const idColumn = columns({ id: column.text('id') })

/**
 * Locks the rows in id order: of two concurrent requests that end each other's sessions, the second waits instead of a
 * deadlock.
 */
const revokeOthers = statement({
  name: 'sessions-revoke-others',
  columns: idColumn,
  params: { accountId: param.text(), id: param.text() },
  text: `update sessions set revoked_at = now() where id in (
      select id from sessions where account_id = :accountId and id <> :id and revoked_at is null
        and expires_at > now() order by id for update)
    returning ${idColumn.sql}`,
})

/**
 * endSession: ends one of the caller's own sessions, which may be that of this request. Idempotent. Errors: 401, 403
 * for a key, 404 for a session of another person.
 */
export function endSession(ctx: RequestContext, input: { readonly id: string }): Promise<{ readonly id: string }> {
  return guarded(
    ctx,
    () => findOwnSession(ctx, input.id),
    (allowed, { id, accountId }) =>
      commitVerb(allowed, async (tx) => {
        const [ended] = await tx.query(revokeRow, { id })
        if (ended) await audit(tx, allowed, { action: 'session.revoke', accountId, targetId: id })
        return { id }
      }),
  )
}

/**
 * endOtherSessions: ends all live sessions of the caller except `keep`; returns how many. Errors: 401, 403 for a key,
 * 404 if `keep` is not the caller's.
 */
export function endOtherSessions(
  ctx: RequestContext,
  input: { readonly keep: string },
): Promise<{ readonly ended: number }> {
  return guarded(
    ctx,
    () => findOwnSession(ctx, input.keep),
    (allowed, { id, accountId }) =>
      commitVerb(allowed, async (tx) => {
        const ended = await endOtherSessionsOf(tx, accountId, id)
        if (ended > 0)
          await audit(tx, allowed, { action: 'session.revoke_others', accountId, targetId: id, after: { ended } })
        return { ended }
      }),
  )
}

/** Ends all live sessions of a person except `keep`, which may be null; returns how many. */
export async function endOtherSessionsOf(tx: Querier, accountId: string, keep: string | null): Promise<number> {
  return (await tx.query(revokeOthers, { accountId, id: keep ?? '' })).length
}

async function findOwnSession(
  ctx: RequestContext,
  id: string,
): Promise<{ readonly id: string; readonly accountId: string }> {
  const { personId } = assertSession(ctx.viewer)
  const row = isId('sess', id)
    ? await ctx.deps.db.prisma.session.findUnique({ select: { id: true, accountId: true }, where: { id } })
    : null
  if (row?.accountId !== personId) throw notFound(`The session ${id}`)
  return row
}

const liveSession = statement({
  name: 'session-live',
  exact: 'in-transaction',
  columns: idColumn,
  params: { id: param.text() },
  text: `select ${idColumn.sql} from sessions where id = :id and revoked_at is null and expires_at > now()`,
})

/**
 * 401 for a session that has ended since the request began. For a transaction that gives its person a new way to sign
 * in, once it holds `lockSignInWays`: a reset is stronger than a session of the time before it.
 */
export async function assertLiveSession(tx: Querier, id: string): Promise<void> {
  if ((await tx.query(liveSession, { id })).length === 0) throw invalidCredential()
}
