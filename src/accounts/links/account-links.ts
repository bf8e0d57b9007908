/** Links that set the password of one account. Contract, "Links that work once". */
import type { Account } from '../../auth/handle.ts'
import { type AuditContext, audit } from '../../operation/audit.ts'
import type { Querier } from '../../store/db.ts'
import { addLink, endLinksOfAccount, type MadeLink } from './link-rows.ts'

/** A link that adds a password to an account that has none, or that replaces it; links of before work no more. */
export async function addAccountLink(
  tx: Querier,
  ctx: AuditContext,
  { kind, account }: { readonly kind: 'setup' | 'reset'; readonly account: Pick<Account, 'id'> },
): Promise<MadeLink> {
  await tx.query(endLinksOfAccount, { accountId: account.id })
  const made = await addLink(tx, { kind, accountId: account.id, orgId: null, role: null, createdBy: null })
  const action = kind === 'setup' ? 'password.setup_link' : 'password.reset_link'
  await audit(tx, ctx, { action, accountId: account.id, targetId: made.id, after: { expiresAt: made.expiresAt } })
  return made
}
