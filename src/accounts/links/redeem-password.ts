/** Redeeming a link with a password. Contract, "Links that work once". */
import type { Auth } from '../../auth/auth.ts'
import { type AuditContext, audit } from '../../operation/audit.ts'
import { assertNewPassword } from '../passwords/new-password.ts'
import { hashPassword } from '../passwords/password-hash.ts'
import { replacePassword } from '../passwords/password-rows.ts'
import { findLink, handleOf, type NewWay, type Redeemed, redeem } from './redeem-link.ts'

interface NewPerson {
  readonly token: string
  readonly password: string
  /** Of a new account, for an invitation. */
  readonly handle: string | null
  readonly name: string | null
  readonly userAgent: string | null
  /** Who asks, for the turns of hashing. */
  readonly network: string
}

/** Redeems a link with a password. Errors: as `redeem`, and 503 where too many wait to have theirs hashed. */
export async function redeemWithPassword(auth: Auth, ctx: AuditContext, given: NewPerson): Promise<Redeemed> {
  const link = await findLink(auth, given.token)
  const handle = handleOf(link, given.handle)
  assertNewPassword(given.password, handle)
  const hash = await hashPassword(given.password, { costLog2: auth.config.passwordCost, asker: given.network })
  const { name, userAgent } = given
  return redeem(auth, ctx, { link, handle, name, userAgent, way: passwordWay(hash) })
}

const passwordWay = (hash: string): NewWay => ({
  kind: 'password',
  async add(tx, ctx, { accountId, kind, passwordChangedAt }) {
    const changedAt = await replacePassword(tx, { accountId, hash, before: passwordChangedAt })
    if (changedAt === null) return false
    if (kind === 'setup') await audit(tx, ctx, { action: 'password.set', accountId, targetId: accountId })
    return true
  },
})
