/** createResetLink: the operator makes a link by which a person sets a new password. */
import type { RequestContext } from '../../operation/context.ts'
import { findAccount } from '../find-account.ts'
import { addAccountLink } from '../links/account-links.ts'
import type { MadeLink } from '../links/link-rows.ts'
import { assertLocalSignIn } from '../passwords/sign-in.ts'
import { assertOperatorNow } from './disable-user.ts'

/**
 * The link is shown once, so its answer is kept for no replay. A user who is disabled gets one that leads nowhere until
 * they are enabled. Errors: 401, 403 for all but the operator and without a recent sign-in, 404, 503 without passwords.
 */
export async function createResetLink(ctx: RequestContext, { user }: { readonly user: string }): Promise<MadeLink> {
  const { db, config } = ctx.deps
  assertOperatorNow(ctx)
  assertLocalSignIn(config)
  return db.withTx(async (tx) => {
    const account = await findAccount(tx, user, 'user')
    return addAccountLink(tx, ctx, { kind: 'reset', account })
  })
}
