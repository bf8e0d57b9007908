/** Batched reads of accounts for the graph: one statement for any number. */
import { visibleRepos } from '../auth/policy.ts'
import type { AccountRef, RequestContext } from '../operation/context.ts'
import type { Querier, Statement } from '../store/db.ts'

export interface OrgMember {
  readonly orgId: string
  readonly user: AccountRef
  readonly role: 'owner' | 'member'
  readonly since: string
}

const byId: Statement<AccountRef> = {
  name: 'accounts-by-id',
  text: 'select id, kind, handle, name from accounts where id = any($1::text[])',
}

/** Accounts in the order asked, null where there is none. Handles are public, so nothing is hidden. */
export async function accountsById(querier: Querier, ids: readonly string[]): Promise<(AccountRef | null)[]> {
  const rows = await querier.query(byId, [ids])
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => found.get(id) ?? null)
}

const members: Statement<{ org_id: string; role: OrgMember['role']; since: string } & AccountRef> = {
  name: 'members-of-orgs',
  text: `select m.org_id, m.role, m.created_at as since, u.id, u.kind, u.handle, u.name
    from memberships m join accounts u on u.id = m.user_id
    where m.org_id = any($1::text[]) and (m.org_id = any($2::text[])
      or exists (select from memberships c where c.org_id = m.org_id and c.user_id = $3)) order by m.org_id, m.created_at, m.user_id`,
}

/**
 * The people of those of the accounts that are the caller's orgs, oldest first; one statement for any number of orgs. Of a session that is checked again: an org
 * that it made a moment ago is its own.
 */
export async function membersOfOrgs(ctx: RequestContext, ids: readonly string[]): Promise<OrgMember[]> {
  const { accountIds } = visibleRepos(ctx.viewer)
  const personId = ctx.viewer.kind === 'session' ? ctx.viewer.personId : null
  const mayBeMine = personId !== null || ids.some((id) => accountIds.includes(id))
  const rows = mayBeMine ? await ctx.deps.db.query(members, [ids, accountIds, personId]) : []
  return rows.map(({ org_id, role, since, id, kind, handle, name }) => ({
    orgId: org_id,
    user: { id, kind, handle, name },
    role,
    since,
  }))
}
