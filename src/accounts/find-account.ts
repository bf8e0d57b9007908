/** Looks up accounts by handle. */
import { type Account, accountByHandle } from '../auth/handle.ts'
import { assertMember, assertSession } from '../auth/policy.ts'
import type { AccountRef, RequestContext } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import type { Querier } from '../store/db.ts'

/** The account with this handle; 404 if there is none or it is not of `kind`. */
export async function findAccount(querier: Querier, handle: string, kind?: 'user' | 'org'): Promise<Account> {
  const [account] = await querier.query(accountByHandle, { handle })
  if (!account || (kind !== undefined && account.kind !== kind)) throw notFound(`The ${kind ?? 'account'} ${handle}`)
  return account
}

/**
 * The account whose keys or audit log a session requests: the person's own, or that of `handle`. Errors: 401, 403 for a
 * key or another's account, 404.
 */
export async function findManagedAccount(ctx: RequestContext, handle: string | null): Promise<AccountRef> {
  const session = assertSession(ctx.viewer)
  const account = handle === null ? session.account : await findAccount(ctx.deps.db, handle)
  assertMember(session, account)
  return account
}
