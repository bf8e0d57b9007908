/** Sessions of people: where somebody is signed in. Contract, "Credentials". */
import { assertSession } from '../../src/auth/policy.ts'
import { builder } from '../builder.ts'
import { nodesOf } from '../connection.ts'
import { args, query } from '../root-field.ts'
import { newestFirst, selectedNodes } from '../selected.ts'

/** Reached by the listing alone, which shows a person their own. */
const SessionType = builder.prismaObject('Session', {
  description: 'A session of a person: opened by signing in, ended by signing out or by its time.',
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `sess_`; sorts by time.' }),
    user: t.relation('account', { description: 'The person.' }),
    issuer: t.exposeString('issuer', {
      nullable: true,
      description: "The identity provider whose token it stands for; null for one with a token of the hub's own.",
    }),
    current: t.boolean({
      description: 'Whether it is the one that asks.',
      resolve: ({ id }, _args, { viewer }) => viewer.kind === 'session' && viewer.credentialId === id,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was opened.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it ends by itself.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was ended.' }),
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
  description: 'Your own sessions, newest first, ended ones too.',
  scope: 'session',
  args: args((t) => t.connectionArgs()),
  read: (ctx, page, info) => {
    const accountId = assertSession(ctx.viewer).personId
    const query = selectedNodes(ctx, info, 'Session', { id: true })
    return newestFirst({ listing: `sessions:${accountId}`, prefix: 'sess' }, page, ({ where, ...keyset }) =>
      ctx.deps.db.prisma.session.findMany({ ...query, ...keyset, where: { ...where, accountId } }),
    )
  },
})
