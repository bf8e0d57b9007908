/** Members of orgs. Contract, "Accounts and orgs". */

import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { type OrgMemberKey, orgMemberKeys } from '../../src/accounts/org-member-keys.ts'
import type { Page } from '../../src/platform/page.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { selectedNodes } from '../selected.ts'
import { Account } from './account.ts'
import { OrgRoleEnum } from './enums.ts'

const memberKey = { orgId: true, userId: true } as const

type MemberRow = Pick<OrgMemberKey, 'orgId' | 'userId'>

/** Reached through `Account.members`, which checks visibility, and the mutation that creates it. */
export const OrgMember = builder.prismaObject('Membership', {
  name: 'OrgMember',
  description: 'A member of an org.',
  select: memberKey,
  fields: (t) => ({
    org: t.relation('org', { description: 'The org.' }),
    user: t.relation('user', { description: 'The user.' }),
    role: t.expose('role', { type: OrgRoleEnum, description: 'Role of the member.' }),
    since: t.expose('createdAt', { type: 'DateTime', description: 'When the user joined.' }),
  }),
})

const OrgMemberConnection = builder.connectionObject(
  {
    type: OrgMember,
    name: 'OrgMemberConnection',
    description: 'A page of the members of an org, oldest first.',
    fields: (connection) => ({
      nodes: connection.field({ type: [OrgMember], description: 'The members.', resolve: nodesOf<MemberRow> }),
    }),
  },
  { name: 'OrgMemberEdge', description: 'A member and its cursor.' },
)

/** The page with rows instead of keys, without members who left in the meantime. */
function pageOf(page: Page<OrgMemberKey>, rows: ReadonlyMap<string, MemberRow>): Page<MemberRow> {
  const keys = new Map(page.nodes.map((key) => [key.userId, key]))
  return {
    nodes: page.nodes.flatMap(({ userId }) => rows.get(userId) ?? []),
    hasNextPage: page.hasNextPage,
    cursorOf: ({ userId }) => page.cursorOf(keys.get(userId) as OrgMemberKey),
  }
}

builder.objectField(Account, 'members', (t) =>
  t.loadable({
    type: OrgMemberConnection,
    byPath: true,
    description:
      'Members of an org, oldest first. Empty on a user, and if the caller is not a member. One statement for ' +
      'any number of orgs.',
    args: pageArgs(t.arg),
    resolve: (account) => account.id,
    load: async (orgIds: string[], ctx, args, info) => {
      const { first, after } = forwardArgs(args, MAX_PAGE_SIZE)
      const pages = await orgMemberKeys(ctx, { orgIds, limit: first ?? DEFAULT_PAGE_SIZE, after })
      const keys = pages.flatMap(({ nodes }) => nodes)
      const ids = { orgId: { in: keys.map(({ orgId }) => orgId) }, userId: { in: keys.map(({ userId }) => userId) } }
      const query = selectedNodes(ctx, info, 'OrgMember', memberKey)
      const rows = keys.length === 0 ? [] : await ctx.deps.db.prisma.membership.findMany({ ...query, where: ids })
      const byOrg = Map.groupBy(rows, ({ orgId }) => orgId)
      return pages.map((page, at) => {
        const ofOrg = new Map((byOrg.get(orgIds[at] ?? '') ?? []).map((row) => [row.userId, row]))
        return new Connection(pageOf(page, ofOrg), after !== null)
      })
    },
  }),
)
