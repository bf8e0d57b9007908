/** Pages of org members as keys; the graph then reads the selected columns. */
import { visibleRepos } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, isTimePart, type Page } from '../platform/page.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'

const memberKeyColumns = columns({
  orgId: column.text('m.org_id'),
  userId: column.text('m.user_id'),
  /** RFC 3339. */
  since: column.timestamptz('m.created_at'),
})

export type OrgMemberKey = RowOf<typeof memberKeyColumns>

/** SQL, because Prisma supports neither a limit per org nor a keyset over two columns. */
const memberKeys = statement({
  name: 'org-member-keys',
  exact: 'per-parent',
  columns: memberKeyColumns,
  params: {
    orgIds: param.texts(),
    /** The accounts the credential acts for, and the session's person. */
    accountIds: param.texts(),
    personId: param.text.orNull(),
    since: param.timestamptz.orNull(),
    userId: param.text.orNull(),
    limit: param.int8(),
  },
  text: `select ${memberKeyColumns.sql}
    from unnest(:orgIds::text[]) as org (id)
      cross join lateral (select * from memberships where org_id = org.id
        and (:since::timestamptz is null or (created_at, user_id) > (:since, :userId)) order by created_at, user_id
        limit :limit) m
    where org.id = any(:accountIds::text[])
      or exists (select from memberships own where own.org_id = org.id and own.user_id = :personId)
    order by m.org_id, m.created_at, m.user_id`,
})

interface MemberPages {
  readonly orgIds: readonly string[]
  readonly limit: number
  readonly after: string | null
}

/**
 * A page of members per account, oldest first, in the requested order; one statement for any number. Empty for a user,
 * and for orgs that the caller is not a member of. Sessions are checked in the database, because they may have just
 * created the org. 422 `validation.cursor` for the cursor of another org.
 */
export async function orgMemberKeys(
  ctx: RequestContext,
  { orgIds, limit, after }: MemberPages,
): Promise<Page<OrgMemberKey>[]> {
  const { accountIds } = visibleRepos(ctx.viewer)
  const personId = ctx.viewer.kind === 'session' ? ctx.viewer.personId : null
  const listingOf = (orgId: string) => `members:${orgId}`
  const keyOf = (orgId: string, cursor: string) =>
    decodeCursor<[string, string]>(listingOf(orgId), cursor, [isTimePart, idPart('user')])
  const from = after === null ? [] : orgIds.map((orgId) => keyOf(orgId, after))
  const [since = null, userId = null] = from[0] ?? []
  const mayBeMine = personId !== null || orgIds.some((id) => accountIds.includes(id))
  const values = { orgIds, accountIds, personId, since, userId, limit: limit + 1 }
  const byOrg = Map.groupBy(mayBeMine ? await ctx.deps.db.query(memberKeys, values) : [], (key) => key.orgId)
  return orgIds.map((orgId) => {
    const keys = byOrg.get(orgId) ?? []
    return {
      nodes: keys.slice(0, limit),
      hasNextPage: keys.length > limit,
      cursorOf: (key) => encodeCursor(listingOf(orgId), [key.since, key.userId]),
    }
  })
}
