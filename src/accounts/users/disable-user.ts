/** Keeping a person out of the hub, and letting them in again. Contract, "The operator". */
import { assertRecentSignIn } from '../../auth/recent-sign-in.ts'
import { type AuditContext, audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Config } from '../../platform/config.ts'
import { HubError } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { findAccount } from '../find-account.ts'
import { endInvitationsBy, endLinksOfAccount } from '../links/link-rows.ts'
import { assertOperator } from '../operator-only.ts'
import { endOtherSessionsOf } from '../own-sessions.ts'
import { type ListedUser, readUser } from './list-users.ts'

const idColumn = columns({ id: column.text('id') })

const disable = statement({
  name: 'user-disable',
  columns: idColumn,
  params: { id: param.text() },
  text: `update accounts set disabled_at = now() where id = :id and disabled_at is null returning ${idColumn.sql}`,
})

const enable = statement({
  name: 'user-enable',
  columns: idColumn,
  params: { id: param.text() },
  text: `update accounts set disabled_at = null where id = :id and disabled_at is not null returning ${idColumn.sql}`,
})

/**
 * Ends the sessions, links and invitations of a user and has every key of theirs refused. What they own stays, and
 * nothing is canceled. Idempotent. Errors: 404, 409 `conflict.operator`.
 */
export async function disableUser(
  tx: Querier,
  ctx: AuditContext,
  { handle, operatorHandle }: { readonly handle: string } & Pick<Config, 'operatorHandle'>,
): Promise<{ readonly id: string }> {
  const { id } = await findAccount(tx, handle, 'user')
  if (handle === operatorHandle)
    throw new HubError('conflict.operator', `${handle} is the account of the operator, which cannot be disabled.`)
  const [disabled] = await tx.query(disable, { id })
  if (!disabled) return { id }
  const endedSessions = await endOtherSessionsOf(tx, id, null)
  await tx.query(endLinksOfAccount, { accountId: id })
  await tx.query(endInvitationsBy, { createdBy: id })
  await audit(tx, ctx, { action: 'user.disable', accountId: id, targetId: id, after: { endedSessions } })
  return { id }
}

/**
 * Lets a user in again: they can sign in, and their keys work. A sign-in that raced with the disabling may have
 * left a session, which ends here. Idempotent. Errors: 404.
 */
export async function enableUser(
  tx: Querier,
  ctx: AuditContext,
  { handle }: { readonly handle: string },
): Promise<{ readonly id: string }> {
  const { id } = await findAccount(tx, handle, 'user')
  const [enabled] = await tx.query(enable, { id })
  if (!enabled) return { id }
  await endOtherSessionsOf(tx, id, null)
  await audit(tx, ctx, { action: 'user.enable', accountId: id, targetId: id })
  return { id }
}

/** 401, 403 for all but the operator, and 403 `forbidden.old_sign_in`: a browser that was left open decides nothing. */
export function assertOperatorNow({ viewer, deps }: RequestContext): void {
  assertOperator(viewer, deps.config)
  assertRecentSignIn(viewer)
}

type ChangeUser = (
  tx: Querier,
  ctx: AuditContext,
  input: { readonly handle: string } & Pick<Config, 'operatorHandle'>,
) => Promise<{ readonly id: string }>

const byOperator =
  (change: ChangeUser) =>
  (ctx: RequestContext, { user }: { readonly user: string }): Promise<ListedUser> =>
    guarded(
      ctx,
      () => assertOperatorNow(ctx),
      (allowed) => {
        const { operatorHandle } = ctx.deps.config
        return commitVerb(allowed, async (tx) => {
          const { id } = await change(tx, allowed, { handle: user, operatorHandle })
          return readUser(tx, id)
        })
      },
    )

/** disableUser of the graph. Errors: as `assertOperatorNow` and `disableUser`. */
export const disableByOperator = byOperator(disableUser)

/** enableUser of the graph. Errors: as `assertOperatorNow` and `enableUser`. */
export const enableByOperator = byOperator(enableUser)
