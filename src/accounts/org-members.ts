/** Org members. Contract, "Accounts and orgs": only owners change them; the last owner cannot be removed. */

import type { Account } from '../auth/handle.ts'
import { isOfCallSql } from '../auth/job-tables.ts'
import { assertOrgOwner, assertSession } from '../auth/policy.ts'
import { type AuditContext, audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AccountRef, AllowedContext, RequestContext } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { insertInto } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { findAccount } from './find-account.ts'

export type OrgRole = 'owner' | 'member'

export interface Membership {
  readonly org: Account
  readonly user: Account
  readonly role: OrgRole
}

interface RoleRow {
  readonly role: OrgRole | null
  readonly otherOwners: number
}

const lockOrg = statement({
  name: 'org-lock',
  params: { id: param.text() },
  text: 'select from accounts where id = :id for no key update',
})
const roleColumn = columns({ role: column.enum('OrgRole', 'role') })

/** None for a person whom the operator keeps out: what they began before that no longer counts. */
const actingRole = statement({
  name: 'org-role-acting',
  exact: 'in-transaction',
  columns: roleColumn,
  params: { orgId: param.text(), personId: param.text() },
  text: `select ${roleColumn.sql} from memberships where org_id = :orgId and user_id = :personId
    and exists (select from accounts where id = :personId and disabled_at is null)`,
})
const roleOf = statement({
  name: 'org-role-of',
  exact: 'in-transaction',
  columns: roleColumn,
  params: { orgId: param.text(), personId: param.text() },
  text: `select ${roleColumn.sql} from memberships where org_id = :orgId and user_id = :personId`,
})
const readRoleColumns = columns({
  role: column.enum.orNull('OrgRole', '(select role from memberships where org_id = :orgId and user_id = :userId)'),
  otherOwners: column.int8(
    `(select count(*) from memberships where org_id = :orgId and user_id <> :userId and role = 'owner')`,
  ),
})

const readRole = statement({
  name: 'org-role',
  exact: 'in-transaction',
  columns: readRoleColumns,
  params: { orgId: param.text(), userId: param.text() },
  text: `select ${readRoleColumns.sql}`,
})

const membershipRow = insertInto('memberships', {
  orgId: param.text(),
  userId: param.text(),
  role: param.enum('OrgRole'),
})

const writeMember = statement({
  name: 'org-member-put',
  params: membershipRow.params,
  text: `${membershipRow.sql} on conflict (org_id, user_id) do update set role = excluded.role`,
})
const deleteMember = statement({
  name: 'org-member-delete',
  params: { orgId: param.text(), userId: param.text() },
  text: 'delete from memberships where org_id = :orgId and user_id = :userId',
})
/** Orgs of one person: each request of theirs reads all of them, and anyone may make an org and add others to it. */
export const MAX_ORGS = 1000

const orgsColumn = columns({ orgs: column.int8('count(*)') })
const countOrgs = statement({
  name: 'org-members-of-person',
  exact: 'in-transaction',
  columns: orgsColumn,
  params: { userId: param.text() },
  text: `select ${orgsColumn.sql} from memberships where user_id = :userId`,
})
const idColumn = columns({ id: column.text('id') })

const revokeMemberKeys = statement({
  name: 'org-member-keys-revoke',
  columns: idColumn,
  params: { orgId: param.text(), userId: param.text() },
  text: `update api_keys k set revoked_at = now() where k.account_id = :orgId and k.created_by = :userId
    and k.revoked_at is null and not ${isOfCallSql} returning ${idColumn.sql}`,
})

/**
 * Locks the org row and reads the person's role again: someone removed since the start of the request no longer acts
 * for the org. 403 for a non-member, or a non-owner if `needed` is `owner`.
 */
export async function assertStillInOrg(
  tx: Querier,
  org: AccountRef,
  personId: string,
  needed: OrgRole = 'member',
): Promise<void> {
  await tx.query(lockOrg, { id: org.id })
  const [row] = await tx.query(actingRole, { orgId: org.id, personId })
  if (row && (needed === 'member' || row.role === 'owner')) return
  const rule =
    needed === 'owner' ? `Only an owner of ${org.handle} may do this.` : `You are not a member of ${org.handle}.`
  throw new HubError('forbidden.scope', rule)
}

/** Whether a person is in an org, in whatever role. */
export async function isMember(tx: Querier, orgId: string, personId: string): Promise<boolean> {
  return (await tx.query(roleOf, { orgId, personId })).length > 0
}

/** The org row is locked first, so that two owners who remove each other concurrently leave one. */
async function roleUnderLock(tx: Querier, orgId: string, userId: string): Promise<RoleRow> {
  await tx.query(lockOrg, { id: orgId })
  const [row] = await tx.query(readRole, { orgId, userId })
  return row ?? { role: null, otherOwners: 0 }
}

function assertNotLastOwner(org: AccountRef, row: RoleRow): void {
  if (row.role !== 'owner' || row.otherOwners > 0) return
  throw new HubError(
    'conflict.last_owner',
    `${org.handle} would be left without an owner; make another person one first.`,
  )
}

/** The person's row is locked first, so that those who add them at the same moment see each other. 429 `quota.orgs`. */
async function assertRoomForOrg(tx: Querier, user: AccountRef): Promise<void> {
  await tx.query(lockOrg, { id: user.id })
  const [{ orgs: used } = { orgs: 0 }] = await tx.query(countOrgs, { userId: user.id })
  if (used < MAX_ORGS) return
  const detail = `${user.handle} is in ${used} organizations, and ${MAX_ORGS} is the limit; they leave one first.`
  throw new HubError('quota.orgs', detail, { facts: { limit: MAX_ORGS, used } })
}

/** Adds a member with this role, or changes their role. Errors: 409 `conflict.last_owner`, 429 `quota.orgs`. */
export async function putMembership({
  tx,
  ctx,
  org,
  user,
  role,
}: {
  readonly tx: Querier
  readonly ctx: AuditContext
  readonly org: AccountRef
  readonly user: AccountRef
  readonly role: OrgRole
}): Promise<void> {
  const row = await roleUnderLock(tx, org.id, user.id)
  if (row.role === role) return
  if (role === 'member') assertNotLastOwner(org, row)
  if (row.role === null) await assertRoomForOrg(tx, user)
  await tx.query(writeMember, { orgId: org.id, userId: user.id, role })
  await audit(tx, ctx, {
    action: 'org.member.put',
    accountId: org.id,
    targetId: user.id,
    before: { role: row.role },
    after: { role },
  })
}

/**
 * addOrgMember: adds a person or changes their role. Errors: 401, 403 for non-owners, 404, 409 `conflict.last_owner`, 429
 * `quota.orgs`.
 */
export function addOrgMember(
  ctx: RequestContext,
  input: { readonly org: string; readonly user: string; readonly role?: OrgRole | null },
): Promise<Membership> {
  return guarded(
    ctx,
    async () => {
      assertSession(ctx.viewer)
      const org = await findAccount(ctx.deps.db, input.org, 'org')
      return { org, personId: assertOrgOwner(ctx.viewer, org).personId }
    },
    async (allowed, { org, personId }) => {
      const user = await findAccount(ctx.deps.db, input.user, 'user')
      const role = input.role ?? 'member'
      return commitVerb(allowed, async (tx) => {
        await assertStillInOrg(tx, org, personId, 'owner')
        await putMembership({ tx, ctx: allowed, org, user, role })
        return { org, user, role }
      })
    },
  )
}

/**
 * removeOrgMember: by an owner, or by the member themselves. Revokes the org's keys that the member created, because
 * they know the tokens; not those of the org's hosted jobs, which the hub made and which go on. Errors: 401, 403, 404 (also for a non-member), 409 `conflict.last_owner`.
 */
export function removeOrgMember(
  ctx: RequestContext,
  input: { readonly org: string; readonly user: string },
): Promise<RemovedMember> {
  return guarded(
    ctx,
    async () => {
      const session = assertSession(ctx.viewer)
      const org = await findAccount(ctx.deps.db, input.org, 'org')
      if (session.account.handle !== input.user) assertOrgOwner(session, org)
      return { org, session }
    },
    (allowed, { org, session }) => remove(allowed, org, session, input),
  )
}

interface RemovedMember {
  readonly org: Account
  readonly user: Account
  readonly revokedKeyIds: readonly string[]
}

async function remove(
  ctx: AllowedContext,
  org: Account,
  session: { readonly personId: string },
  input: { readonly user: string },
): Promise<RemovedMember> {
  const user = await findAccount(ctx.deps.db, input.user, 'user')
  return commitVerb(ctx, async (tx) => {
    if (user.id !== session.personId) await assertStillInOrg(tx, org, session.personId, 'owner')
    const row = await roleUnderLock(tx, org.id, user.id)
    if (row.role === null) throw new HubError('not_found', `${user.handle} is not a member of ${org.handle}.`)
    assertNotLastOwner(org, row)
    await tx.query(deleteMember, { orgId: org.id, userId: user.id })
    const revokedKeyIds = (await tx.query(revokeMemberKeys, { orgId: org.id, userId: user.id })).map((key) => key.id)
    const after = { role: null, revokedKeyIds }
    await audit(tx, ctx, {
      action: 'org.member.remove',
      accountId: org.id,
      targetId: user.id,
      before: { role: row.role },
      after,
    })
    return { org, user, revokedKeyIds }
  })
}
