/** Whose profile a session may change. */
import { findAccount } from '../accounts/find-account.ts'
import { assertOrgOwner, assertSession } from '../auth/policy.ts'
import type { AccountRef, RequestContext } from '../operation/context.ts'

export interface OwnAccount extends AccountRef {
  /** The person behind the session. */
  readonly personId: string
}

/**
 * The person's own account, or the one with `handle`. Errors: 401, 403 for a key, for another person's account and for
 * an org of which the person is not an owner, 404.
 */
export async function findOwnAccount(ctx: RequestContext, handle: string | null): Promise<OwnAccount> {
  const session = assertSession(ctx.viewer)
  const account = handle === null ? session.account : await findAccount(ctx.deps.db, handle)
  const { personId } = assertOrgOwner(session, account)
  const { id, kind, name } = account
  return { id, kind, handle: account.handle, name, personId }
}
