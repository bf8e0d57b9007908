/** Decides which account's spending a caller may see. Contract, "What an account spends". */
import { findAccount } from '../accounts/find-account.ts'
import { assertLevel, assertMember, assertNotJob } from '../auth/policy.ts'
import type { AccountRef, RequestContext, Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'

/**
 * The account of a handle, the credential's own by default. Errors: 401, 403 for a key of a hosted job, a key limited
 * to repos and a caller outside the account, 404.
 */
export async function findSpendAccount(ctx: RequestContext, handle: string | null): Promise<AccountRef> {
  const credential = assertLevel(ctx.viewer, 'read')
  assertNotJob(credential, 'see what an account spends')
  if (credential.repoIds !== null)
    throw new HubError('forbidden.scope', 'A key limited to repos cannot see what an account spends.')
  if (handle === null || handle === credential.account.handle) return credential.account
  const account = await findAccount(ctx.deps.db, handle)
  assertMember(credential, account)
  return account
}

/** The same rule for a GraphQL edge, which is null if the caller may not see it. */
export function maySeeSpend(viewer: Viewer, accountId: string): boolean {
  if (viewer.kind === 'anonymous' || viewer.job || viewer.repoIds !== null) return false
  return viewer.accountIds.includes(accountId)
}

/**
 * Whether a hold shows the cap of its account: also to a key limited to repos, which asks for money of the account, and
 * not to a person who has left it.
 */
export const maySeeCap = (viewer: Viewer, accountId: string): boolean =>
  viewer.kind !== 'anonymous' && viewer.accountIds.includes(accountId)
