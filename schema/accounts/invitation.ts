/** Invitations. Contract, "Links that work once". */
import type { Invitation } from '../../src/accounts/links/invitation-rows.ts'
import { invitationsOf } from '../../src/accounts/links/invitation-rows.ts'
import { createInvitation, withdrawInvitation } from '../../src/accounts/links/invite.ts'
import type { MadeLink } from '../../src/accounts/links/link-rows.ts'
import { isOperator } from '../../src/accounts/operator-only.ts'
import { assertSession } from '../../src/auth/policy.ts'
import { builder } from '../builder.ts'
import { args, input, mutation, query } from '../root-field.ts'
import { OrgRoleEnum } from './enums.ts'

const MadeInvitation = builder.objectRef<MadeLink>('MadeInvitation').implement({
  description: 'Result of `createInvitation`.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `link_`.' }),
    path: t.exposeString('path', {
      description: 'Path and fragment of the link below the address of the hub. Shown only here; it works once.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the link stops working.' }),
  }),
})

mutation('createInvitation', {
  type: MadeInvitation,
  description:
    'Makes a link that works once within seven days: the person who has it gets an account and comes into the org. ' +
    'For owners of the org; without one, for the account of the operator.',
  scope: 'session',
  input: input('Where the invitation leads.', (t) => ({
    org: t.string({ description: 'Handle of the org; without one the invitation is to the hub alone.' }),
    role: t.field({ type: OrgRoleEnum, description: 'Role in the org; `MEMBER` unless given.' }),
  })),
  verb: createInvitation,
})

const WithdrawnInvitation = builder.objectRef<{ readonly id: string }>('WithdrawnInvitation').implement({
  description: 'Result of `withdrawInvitation`.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'Id of the invitation.' }) }),
})

mutation('withdrawInvitation', {
  type: WithdrawnInvitation,
  description: 'Ends the link of an invitation. For owners of its org, or the person who made it.',
  scope: 'session',
  input: input('The invitation.', (t) => ({
    id: t.id({ required: true, description: 'Id of the invitation.' }),
  })),
  verb: withdrawInvitation,
})

const InvitationType = builder.objectRef<Invitation>('Invitation').implement({
  description: 'An invitation that waits. Its link was shown once, to the person who made it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `link_`; sorts by time.' }),
    role: t.expose('role', { type: OrgRoleEnum, nullable: true, description: 'Role in the org; null without one.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When its link stops working.' }),
  }),
})

interface Waiting {
  readonly nodes: readonly Invitation[]
  readonly mayInviteToHub: boolean
}

const WaitingInvitations = builder.objectRef<Waiting>('WaitingInvitations').implement({
  description: 'Invitations that wait, newest first.',
  fields: (t) => ({
    nodes: t.expose('nodes', { most: 100, type: [InvitationType], description: 'The invitations.' }),
    mayInviteToHub: t.exposeBoolean('mayInviteToHub', {
      description: 'Whether you may invite to the hub alone: you are the account of the operator.',
    }),
  }),
})

query('invitations', {
  type: WaitingInvitations,
  description:
    'The newest 100 invitations that wait: into an org, for its owners; without one, those to the hub alone that you ' +
    'made. Empty for all others.',
  scope: 'session',
  args: args((t) => ({ org: t.string({ description: 'Handle of the org.' }) })),
  read: async ({ deps, viewer }, { org }) => {
    const { personId } = assertSession(viewer)
    const nodes = await deps.db.query(invitationsOf, { org: org ?? null, personId })
    return { nodes, mayInviteToHub: isOperator(viewer, deps.config) }
  },
})
