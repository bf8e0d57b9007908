/** Sign-in sessions of users. Contract, "Credentials". */
import { endOtherSessions, endSession } from '../../src/accounts/own-sessions.ts'
import { assertSession } from '../../src/auth/policy.ts'
import { builder } from '../builder.ts'
import { nodesOf, pageArgs } from '../connection.ts'
import { args, entityMutation, input, mutation, query } from '../root-field.ts'
import { newestFirst, selectedNodes } from '../selected.ts'

/** Reached only through the listing, which shows users their own sessions. */
const SessionType = builder.prismaObject('Session', {
  description: 'A sign-in session of a user: ends by signing out or when it expires.',
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `sess_`; sorts by time.' }),
    user: t.relation('account', { description: 'The user.' }),
    issuer: t.exposeString('issuer', {
      nullable: true,
      description: "The identity provider whose token it represents; null for a session with the hub's own token.",
    }),
    current: t.boolean({
      description: 'True for the session of this request.',
      resolve: ({ id }, _args, { viewer }) => viewer.kind === 'session' && viewer.credentialId === id,
    }),
    userAgent: t.exposeString('userAgent', {
      nullable: true,
      description:
        'The `User-Agent` header of the browser that signed in, at most 256 characters; null for a session that ' +
        "the operator made, and for an identity provider's token.",
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to within a minute; null if it was not used yet.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the user signed in.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it expires; null if never.' }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was ended; null while it is active.',
    }),
  }),
})

const SessionConnection = builder.connectionObject(
  {
    type: SessionType,
    name: 'SessionConnection',
    description: 'A page of sessions.',
    fields: (connection) => ({
      nodes: connection.field({
        type: [SessionType],
        description: 'The sessions.',
        resolve: nodesOf<{ readonly id: string }>,
      }),
    }),
  },
  { name: 'SessionEdge', description: 'A session and its cursor.' },
)

query('sessions', {
  type: SessionConnection,
  description: "The caller's own sessions, newest first, including ended ones.",
  scope: 'session',
  args: args((t) => pageArgs(t)),
  read: (ctx, page, info) => {
    const accountId = assertSession(ctx.viewer).personId
    const query = selectedNodes(ctx, info, 'Session', { id: true })
    return newestFirst({ name: 'sessions', accountId, prefix: 'sess' }, page, (keyset) =>
      ctx.deps.db.prisma.session.findMany({ ...query, ...keyset }),
    )
  },
})

entityMutation('endSession', {
  type: SessionType,
  payload: { name: 'session', description: 'The session, which has ended.' },
  description: "Ends one of the caller's own sessions: its token is refused from then on. Idempotent.",
  scope: 'session',
  input: input('The session to end.', (t) => ({
    id: t.id({ required: true, description: 'Id of the session; it may be the one of this request.' }),
  })),
  verb: endSession,
  read: (ctx, { id }, query) => ctx.deps.db.prisma.session.findUniqueOrThrow({ ...query, where: { id } }),
})

const EndedSessions = builder.objectRef<{ readonly ended: number }>('EndedSessions').implement({
  description: 'Result of `endOtherSessions`.',
  fields: (t) => ({ ended: t.exposeInt('ended', { description: 'Number of sessions that it ended.' }) }),
})

mutation('endOtherSessions', {
  type: EndedSessions,
  description: "Ends all of the caller's own sessions but one, as after the loss of a laptop.",
  scope: 'session',
  input: input('The session to keep.', (t) => ({
    keep: t.id({ required: true, description: 'Id of the session that stays; usually the `current` one.' }),
  })),
  verb: endOtherSessions,
})
