/** Users, for the operator. Contract, "The operator". */
import { handleText, searchText } from '@hub/formats/text-rules'
import type { MadeLink } from '../../src/accounts/links/link-rows.ts'
import { disableByOperator, enableByOperator } from '../../src/accounts/users/disable-user.ts'
import { type ListedUser, listUsers } from '../../src/accounts/users/list-users.ts'
import { createResetLink } from '../../src/accounts/users/reset-link.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { args, input, mutation, query } from '../root-field.ts'
import { Account } from './account.ts'

const HubUser = builder.objectRef<ListedUser>('HubUser').implement({
  description: 'A user as the operator sees them.',
  fields: (t) => ({
    account: t.field({ type: Account, description: 'The account.', resolve: (user) => user }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the account was made.' }),
    lastSignInAt: t.expose('lastSignInAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the newest session began; null if there was none.',
    }),
    hasPassword: t.exposeBoolean('hasPassword', { description: 'Whether they sign in with a password.' }),
    hasPasskey: t.exposeBoolean('hasPasskey', { description: 'Whether they sign in with a passkey.' }),
    hasIdentity: t.exposeBoolean('hasIdentity', { description: 'Whether an identity provider knows them.' }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the operator disabled them; null if they can sign in.',
    }),
  }),
})

const HubUserConnection = builder.connectionObject(
  {
    type: HubUser,
    name: 'HubUserConnection',
    description: 'A page of users.',
    fields: (connection) => ({
      nodes: connection.field({ type: [HubUser], description: 'The users.', resolve: nodesOf<ListedUser> }),
    }),
  },
  { name: 'HubUserEdge', description: 'A user and its cursor.' },
)

query('users', {
  type: HubUserConnection,
  description: 'Users of the hub by handle. For the operator alone.',
  scope: 'session',
  args: args((t) => ({
    ...pageArgs(t),
    q: t.string({ ...rule(searchText), description: 'Only handles that begin with this.' }),
  })),
  read: async (ctx, { q, ...page }) => {
    const { first, after } = forwardArgs(page, MAX_PAGE_SIZE)
    return new Connection(await listUsers(ctx, { q: q ?? null, limit: first, after }), after !== null)
  },
})

const ofUser = (description: string) =>
  input(description, (t) => ({
    user: t.string({ required: true, ...rule(handleText), description: 'Handle of the user.' }),
  }))

mutation('disableUser', {
  type: HubUser,
  payload: { name: 'user', description: 'The user, who is kept out.' },
  description:
    'Keeps a user out: ends their sessions, links and invitations, and refuses their keys until they are enabled. ' +
    'What they own stays. Idempotent. For the operator, after a sign-in of the last 15 minutes. 409 for the operator.',
  scope: 'session',
  input: ofUser('The user to keep out.'),
  verb: disableByOperator,
})

mutation('enableUser', {
  type: HubUser,
  payload: { name: 'user', description: 'The user, who can sign in again.' },
  description:
    'Lets a user in again: they can sign in, and their keys work. Idempotent. For the operator, after a sign-in of ' +
    'the last 15 minutes.',
  scope: 'session',
  input: ofUser('The user to let in.'),
  verb: enableByOperator,
})

const MadeResetLink = builder.objectRef<MadeLink>('MadeResetLink').implement({
  description: 'Result of `createResetLink`.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `link_`.' }),
    path: t.exposeString('path', {
      description: 'Path and fragment of the link below the address of the hub. Shown only here; it works once.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the link stops working.' }),
  }),
})

mutation('createResetLink', {
  type: MadeResetLink,
  description:
    'Makes a link by which a user replaces their password and passkeys within an hour; it ends all their sessions. ' +
    'For the operator, after a sign-in of the last 15 minutes.',
  scope: 'session',
  input: ofUser('Whose password it sets.'),
  verb: createResetLink,
})
