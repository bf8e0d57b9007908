/** The orgs of a person: their members, and links by which others come in. */
import { z } from 'zod'
import type { Caller } from './call.ts'
import { pages } from './pages.ts'
import { ProblemError } from './problem.ts'

export type RemoteRole = 'member' | 'owner'

const role = z.string().toLowerCase()
const named = z.looseObject({ handle: z.string() })
const member = z.looseObject({ role, user: named })
const orgPage = z.looseObject({
  viewer: z.looseObject({
    orgs: z.array(
      z.looseObject({
        handle: z.string(),
        members: z.looseObject({
          nodes: z.array(member),
          pageInfo: z.looseObject({ endCursor: z.string().nullish(), hasNextPage: z.boolean() }),
        }),
      }),
    ),
  }),
})
const account = z.looseObject({ id: z.string(), handle: z.string(), name: z.string().nullable() })
const created = z.looseObject({ createOrg: z.looseObject({ org: account }) })
const added = z.looseObject({ addOrgMember: z.looseObject({ membership: member }) })
const removed = z.looseObject({
  removeOrgMember: z.looseObject({ user: named, revokedKeyIds: z.array(z.string()) }),
})
const invited = z.looseObject({
  createInvitation: z.looseObject({ id: z.string(), path: z.string(), expiresAt: z.string() }),
})
const waiting = z.looseObject({
  invitations: z.looseObject({
    nodes: z.array(
      z.looseObject({ id: z.string(), role: role.nullable(), createdAt: z.string(), expiresAt: z.string() }),
    ),
  }),
})
const withdrawn = z.looseObject({ withdrawInvitation: z.looseObject({ id: z.string() }) })

const orgText = `query ($after: String) { viewer { orgs { handle members(first: 100, after: $after) {
  nodes { role user { handle } } pageInfo { endCursor hasNextPage } } } } }`
const createText = 'mutation ($input: CreateOrgInput!) { createOrg(input: $input) { org { id handle name } } }'
const addText =
  'mutation ($input: AddOrgMemberInput!) { addOrgMember(input: $input) { membership { role user { handle } } } }'
const removeText =
  'mutation ($input: RemoveOrgMemberInput!) { removeOrgMember(input: $input) { user { handle } revokedKeyIds } }'
const inviteText = 'mutation ($input: CreateInvitationInput!) { createInvitation(input: $input) { id path expiresAt } }'
const waitingText = 'query ($org: String) { invitations(org: $org) { nodes { id role createdAt expiresAt } } }'
const withdrawText = 'mutation ($input: WithdrawInvitationInput!) { withdrawInvitation(input: $input) { id } }'

const inGraph = (name: RemoteRole) => name.toUpperCase() as Uppercase<RemoteRole>

/** As functions of one caller. What changes an org needs a session; all but `create` one of its owners. */
export function orgCalls(caller: Caller) {
  const { graph } = caller
  return {
    /** The members of an org of the caller, oldest first. 404 for any other. */
    members: (handle: string) => membersOf(caller, handle),
    /** The person becomes its first owner. 409 if the handle is taken. */
    create: async (handle: string, name?: string) =>
      (await graph(createText, { input: { handle, name } }, created)).createOrg.org,
    /** Adds a user, or changes the role of a member. 409 if no owner would remain. */
    setRole: async (org: string, user: string, to: RemoteRole) =>
      (await graph(addText, { input: { org, user, role: inGraph(to) } }, added)).addOrgMember.membership,
    /** Keys of the org that they made are revoked too. Anyone may remove themselves. 409 for the last owner. */
    remove: async (org: string, user: string) =>
      (await graph(removeText, { input: { org, user } }, removed)).removeOrgMember,
    /** A link that works once; `url` is not shown again. */
    invite: async (org: string, to: RemoteRole) => {
      const { id, path, expiresAt } = (await graph(inviteText, { input: { org, role: inGraph(to) } }, invited))
        .createInvitation
      return { id, url: `${caller.url.replace(/\/+$/, '')}${path}`, expiresAt }
    },
    /** The newest 100 that wait; none for who is no owner. */
    invitations: async (org: string) => (await graph(waitingText, { org }, waiting)).invitations.nodes,
    withdraw: async (id: string) => (await graph(withdrawText, { input: { id } }, withdrawn)).withdrawInvitation,
  }
}

async function membersOf({ graph, url }: Caller, handle: string) {
  const found: { readonly handle: string; readonly role: string }[] = []
  const read = async (after: string | undefined) => {
    const org = (await graph(orgText, { after }, orgPage)).viewer.orgs.find((one) => one.handle === handle)
    if (!org)
      throw new ProblemError(
        404,
        { type: 'not_found', title: 'Not found', detail: `You are in no org ${handle}.` },
        null,
      )
    const { nodes, pageInfo } = org.members
    return { items: nodes, next_cursor: pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null }
  }
  for await (const page of pages(url, read))
    found.push(...page.map(({ role, user }) => ({ handle: user.handle, role })))
  return found
}
