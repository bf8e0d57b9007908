/** Invitations: links by which a person gets an account, or comes into an org. Contract, "Links that work once". */
import type { Account } from '../../auth/handle.ts'
import { assertOrgOwner, assertSession } from '../../auth/policy.ts'
import { type AuditContext, audit } from '../../operation/audit.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, notFound } from '../../platform/errors.ts'
import type { Querier } from '../../store/db.ts'
import { findAccount } from '../find-account.ts'
import { assertOperator } from '../operator-only.ts'
import { assertStillInOrg, type OrgRole } from '../org-members.ts'
import { assertLocalSignIn } from '../passwords/sign-in.ts'
import { invitationById } from './invitation-rows.ts'
import { addLink, countInvitations, endLink, type MadeLink } from './link-rows.ts'

/** Invitations of one org, or of the operator's account, that may wait at once. */
const MOST_WAITING = 100

export interface NewInvitation {
  readonly org?: string | null
  readonly role?: OrgRole | null
}

/** Makes an invitation; `org` null leads to the hub alone. Errors: 429 `quota.invitations`. */
export async function addInvitation(
  tx: Querier,
  ctx: AuditContext,
  input: { readonly org: Account | null; readonly role: OrgRole | null; readonly createdBy: string | null },
): Promise<MadeLink> {
  const { org, createdBy } = input
  const role = org === null ? null : (input.role ?? 'member')
  const orgId = org?.id ?? null
  const [waiting] = await tx.query(countInvitations, { orgId, createdBy })
  if ((waiting?.count ?? 0) >= MOST_WAITING) throw tooMany(waiting?.count ?? 0)
  const made = await addLink(tx, { kind: 'invitation', accountId: null, orgId, role, createdBy })
  const accountId = orgId ?? createdBy
  await audit(tx, ctx, { action: 'invitation.create', accountId, targetId: made.id, after: { org: org?.handle, role } })
  return made
}

/**
 * createInvitation: an owner of an org invites into it; the operator's account invites to the hub. Kept for no replay,
 * since the answer is a secret. Errors: 401, 403, 404, 429, 503 without passwords.
 */
export async function createInvitation(ctx: RequestContext, input: NewInvitation): Promise<MadeLink> {
  const { db, config } = ctx.deps
  const { personId } = assertSession(ctx.viewer)
  assertLocalSignIn(config)
  if (input.org == null) {
    assertOperator(ctx.viewer, config, 'Name an org that you own.')
    return db.withTx((tx) => addInvitation(tx, ctx, { org: null, role: null, createdBy: personId }))
  }
  const org = await findAccount(db, input.org, 'org')
  assertOrgOwner(ctx.viewer, org)
  return db.withTx(async (tx) => {
    await assertStillInOrg(tx, org, personId, 'owner')
    return addInvitation(tx, ctx, { org, role: input.role ?? null, createdBy: personId })
  })
}

/**
 * withdrawInvitation: the link of an invitation works no more. For owners of its org, or the one who made it. Errors:
 * 401, 403 for a key, 404 for all others, and once it has ended.
 */
export async function withdrawInvitation(ctx: RequestContext, input: { readonly id: string }) {
  const { db } = ctx.deps
  const { personId } = assertSession(ctx.viewer)
  const [found] = await db.query(invitationById, { id: input.id, personId })
  if (!found) throw notFound('The invitation')
  return db.withTx(async (tx) => {
    const [ended] = await tx.query(endLink, { id: input.id })
    if (!ended) throw notFound('The invitation')
    await audit(tx, ctx, { action: 'invitation.withdraw', accountId: found.orgId ?? personId, targetId: input.id })
    return { id: input.id }
  })
}

function tooMany(used: number): HubError {
  return new HubError('quota.invitations', `${MOST_WAITING} invitations wait. Withdraw one first.`, {
    facts: { unit: 'invitations', limit: MOST_WAITING, used },
  })
}
