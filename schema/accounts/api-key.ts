/** API keys: made and revoked by people. Contract, "Credentials". */
import { z } from 'zod'
import { type ApiKey, createApiKey, listApiKeys, revokeApiKey } from '../../src/accounts/api-keys.ts'
import { fullNameText, keyNameText, pageSize } from '../../src/platform/text-rules.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { args, input, mutation, query } from '../root-field.ts'
import { Account } from './account.ts'
import { KeyScopeEnum } from './enums.ts'

const ApiKeyType = builder.objectRef<ApiKey>('ApiKey').implement({
  description: 'A key as it can be shown: its token was shown once, when it was made.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `key_`.' }),
    name: t.exposeString('name', { description: 'What its maker called it.' }),
    owner: t.expose('owner', { type: Account, description: 'The account that it belongs to.' }),
    scope: t.expose('scope', { type: KeyScopeEnum, description: 'Its level.' }),
    repos: t.exposeStringList('repos', {
      nullable: true,
      description: 'The only repos that it may touch, by full name; null when it is not limited.',
    }),
    agent: t.exposeBoolean('agent', {
      description: "Whether it is an agent's: it may not delete a repo or make one public.",
    }),
    dailyGpuHourQuota: t.exposeFloat('dailyGpuHourQuota', {
      nullable: true,
      description: 'GPU hours a day; null for the account’s own.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends by itself.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was revoked.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
})

const CreatedApiKey = builder.objectRef<ApiKey & { readonly token: string }>('CreatedApiKey').implement({
  description: 'A new key with its token, which is shown this once.',
  fields: (t) => ({
    key: t.field({ type: ApiKeyType, description: 'The key.', resolve: (created) => created }),
    token: t.exposeString('token', { description: '`hub_key_…`: send it as `Authorization: Bearer`.' }),
  }),
})

mutation('createApiKey', {
  type: CreatedApiKey,
  description: 'Makes a key and shows its token once; only its SHA-256 is kept.',
  scope: 'session',
  input: input('A key for yourself or for an org of yours.', (t) => ({
    name: t.string({ required: true, ...rule(keyNameText), description: '1 to 100 characters.' }),
    scope: t.field({ type: KeyScopeEnum, required: true, description: 'Its level.' }),
    owner: t.string({
      ...rule(z.string().max(256)),
      description: 'Handle of yourself (default) or of an org of yours.',
    }),
    repos: t.stringList({
      ...rule(z.array(fullNameText).max(100)),
      description: 'The only repos that it may touch, by full name.',
    }),
    agent: t.boolean({ description: "Whether it is an agent's." }),
    dailyGpuHourQuota: t.float({
      ...rule(z.number().min(0)),
      description: 'GPU hours a day that runs of this key may reserve.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it ends.' }),
  })),
  verb: createApiKey,
})

mutation('revokeApiKey', {
  type: ApiKeyType,
  payload: { name: 'key', description: 'The key, which has ended.' },
  description: 'Ends a key for good; a second time changes nothing.',
  scope: 'session',
  input: input('Which key ends.', (t) => ({ id: t.id({ required: true, description: 'Id of the key.' }) })),
  verb: revokeApiKey,
})

query('apiKeys', {
  type: [ApiKeyType],
  description: 'Keys of yourself or of an org of yours, newest first, revoked ones too.',
  scope: 'session',
  args: args((t) => ({
    owner: t.string({
      ...rule(z.string().max(256)),
      description: 'Handle of yourself (default) or of an org of yours.',
    }),
    first: t.int({ ...rule(pageSize), description: 'How many, 1 to 100; 20 by default.' }),
    after: t.id({ description: 'Only keys older than this one.' }),
  })),
  read: listApiKeys,
})
