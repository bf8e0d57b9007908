/** The viewer: the caller's credential. Contract, "Accounts and orgs" and `GET /v1/me`. */
import { isOperator } from '../../src/accounts/operator-only.ts'
import { type Me, readMe } from '../../src/accounts/read-me.ts'
import { builder } from '../builder.ts'
import { query } from '../root-field.ts'
import { Account } from './account.ts'
import { KeyScopeEnum } from './enums.ts'

const CredentialKindEnum = builder.enumType('CredentialKind', {
  description: 'Kind of a credential.',
  values: {
    KEY: { value: 'key', description: 'An API key.' },
    SESSION: { value: 'session', description: 'Sign-in session of a user.' },
  } as const,
})

const UserPublic = builder.objectRef<NonNullable<Me['person']>>('UserPublic').implement({
  description: 'Public profile of a user.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `user_`.' }),
    handle: t.exposeString('handle', { description: 'Handle of the user.' }),
    name: t.exposeString('name', { nullable: true, description: 'Name to display.' }),
  }),
})

const StorageUse = builder.objectRef<Me['storage']>('StorageUse').implement({
  description: 'Storage use of an account against its quota.',
  fields: (t) => ({
    usedBytes: t.expose('usedBytes', { type: 'SafeInt', description: 'Bytes of all its files.' }),
    reservedBytes: t.expose('reservedBytes', {
      type: 'SafeInt',
      description: 'Bytes reserved by pending uploads.',
    }),
    quotaBytes: t.expose('quotaBytes', { type: 'SafeInt', description: 'Maximum of used plus reserved bytes.' }),
  }),
})

const ViewerType = builder.objectRef<Me>('Viewer').implement({
  description: "The caller's credential: account, scope and limits.",
  fields: (t) => ({
    kind: t.expose('kind', { type: CredentialKindEnum, description: 'Kind of credential.' }),
    credentialId: t.exposeString('credentialId', { description: 'Id of the key or session.' }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the key; null for a session.' }),
    account: t.expose('account', { type: Account, description: 'The account of the credential.' }),
    person: t.expose('person', { type: UserPublic, nullable: true, description: 'The user behind the credential.' }),
    orgs: t.expose('orgs', { most: 20, type: [Account], description: 'Orgs that the credential has access to.' }),
    scope: t.expose('scope', { type: KeyScopeEnum, description: 'Scope; each includes those before it.' }),
    session: t.exposeBoolean('session', {
      description: 'Whether it is a session; some operations are only allowed with a session.',
    }),
    isOperator: t.boolean({
      description: 'Whether it is a session of the operator, who sees and changes what concerns the whole hub.',
      resolve: (_me, _args, { viewer, deps }) => isOperator(viewer, deps.config),
    }),
    repos: t.exposeStringList('repos', {
      most: 100,
      nullable: true,
      description: 'Full names of the repos that the key is limited to; null if it is not limited.',
    }),
    agent: t.exposeBoolean('agent', { description: 'True for an agent key.' }),
    dailyGpuHourQuota: t.exposeFloat('dailyGpuHourQuota', {
      nullable: true,
      description: 'GPU-hour quota per day of the key; null if it has none.',
    }),
    email: t.exposeString('email', {
      nullable: true,
      description: "The person's own email, which is not verified; null without one, and for a key.",
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it expires.' }),
    storage: t.expose('storage', { type: StorageUse, description: 'Storage use of the account.' }),
    rateLimitPerMinute: t.exposeInt('rateLimitPerMinute', {
      description: 'Maximum requests per minute; 0 means no limit.',
    }),
  }),
})

query('viewer', {
  type: ViewerType,
  nullable: true,
  description: 'The caller. 401 without a credential.',
  scope: 'key:read',
  read: readMe,
})
