/** Who the credential is. Contract, "Accounts, devices, approvals" and `GET /v1/me`. */
import { type Me, readMe } from '../../src/accounts/read-me.ts'
import { builder } from '../builder.ts'
import { query } from '../root-field.ts'
import { Account } from './account.ts'
import { KeyScopeEnum } from './enums.ts'

const CredentialKindEnum = builder.enumType('CredentialKind', {
  description: 'What was sent as the credential.',
  values: {
    KEY: { value: 'key', description: 'An API key.' },
    SESSION: { value: 'session', description: "A person's session." },
  } as const,
})

const UserPublic = builder.objectRef<NonNullable<Me['person']>>('UserPublic').implement({
  description: 'A person, as everyone may see them.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `user_`.' }),
    handle: t.exposeString('handle', { description: 'The handle.' }),
    name: t.exposeString('name', { nullable: true, description: 'The name to show.' }),
  }),
})

const StorageUse = builder.objectRef<Me['storage']>('StorageUse').implement({
  description: "Bytes of the account's repos against its quota.",
  fields: (t) => ({
    usedBytes: t.expose('usedBytes', { type: 'SafeInt', description: 'Bytes of all its files.' }),
    reservedBytes: t.expose('reservedBytes', {
      type: 'SafeInt',
      description: 'Bytes promised to uploads that are not completed.',
    }),
    quotaBytes: t.expose('quotaBytes', { type: 'SafeInt', description: 'The most that both may come to.' }),
  }),
})

const ViewerType = builder.objectRef<Me>('Viewer').implement({
  description: 'Who the credential is, what it may do, and its limits.',
  fields: (t) => ({
    kind: t.expose('kind', { type: CredentialKindEnum, description: 'An API key or a session.' }),
    credentialId: t.exposeString('credentialId', { description: 'Id of the key or session.' }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the key; null for a session.' }),
    account: t.expose('account', { type: Account, description: 'The account that it belongs to.' }),
    person: t.expose('person', { type: UserPublic, nullable: true, description: 'The person behind it.' }),
    orgs: t.expose('orgs', { type: [Account], description: 'The orgs that it reaches.' }),
    scope: t.expose('scope', { type: KeyScopeEnum, description: 'Its level; each includes those before it.' }),
    session: t.exposeBoolean('session', {
      description: 'Whether it is a session, which alone may do what only a person may.',
    }),
    repos: t.exposeStringList('repos', {
      nullable: true,
      description: 'The only repos that it may touch, by full name; null when it is not limited.',
    }),
    agent: t.exposeBoolean('agent', { description: "Whether it is an agent's key." }),
    dailyGpuHourQuota: t.exposeFloat('dailyGpuHourQuota', {
      nullable: true,
      description: 'GPU hours a day, where the key sets its own.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends.' }),
    storage: t.expose('storage', { type: StorageUse, description: 'Storage of the account.' }),
    rateLimitPerMinute: t.exposeInt('rateLimitPerMinute', {
      description: 'Requests a minute; 0 when there is no limit.',
    }),
  }),
})

query('viewer', {
  type: ViewerType,
  nullable: true,
  description: 'Who asks. 401 without a credential.',
  scope: 'key:read',
  read: readMe,
})
