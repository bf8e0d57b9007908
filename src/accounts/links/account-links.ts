/** Links that set how the person of one account signs in. Contract, "Links that work once". */
import type { Account } from '../../auth/handle.ts'
import { type AuditContext, audit } from '../../operation/audit.ts'
import type { Querier } from '../../store/db.ts'
import { lockSignInWays } from '../passkeys/passkey-rows.ts'
import { addLink, endLinksOfAccount, type MadeLink } from './link-rows.ts'

/** A link that gives an account its first way to sign in, or that replaces all it has; links of before work no more. */
export async function addAccountLink(
  tx: Querier,
  ctx: AuditContext,
  { kind, account }: { readonly kind: 'setup' | 'reset'; readonly account: Pick<Account, 'id'> },
): Promise<MadeLink> {
  // Of two that are made at once the later one ends the other.
  await lockSignInWays(tx, account.id)
  await tx.query(endLinksOfAccount, { accountId: account.id })
  const made = await addLink(tx, { kind, accountId: account.id, orgId: null, role: null, createdBy: null })
  const action = kind === 'setup' ? 'password.setup_link' : 'password.reset_link'
  await audit(tx, ctx, { action, accountId: account.id, targetId: made.id, after: { expiresAt: made.expiresAt } })
  return made
}
