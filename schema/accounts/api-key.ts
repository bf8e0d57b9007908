/** API keys: created and revoked by users. Contract, "Credentials". */

import { fullNameText, keyNameText } from '@hub/formats/text-rules'
import { createContextCache } from '@pothos/core'
import DataLoader from 'dataloader'
import { z } from 'zod'
import type { Prisma } from '../../prisma/generated/client/client.ts'
import { type CreatedApiKey as Created, createApiKey, revokeApiKey } from '../../src/accounts/api-keys.ts'
import { findManagedAccount } from '../../src/accounts/find-account.ts'
import { repoVisibleWhere } from '../../src/auth/policy.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { builder } from '../builder.ts'
import { nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { args, entityMutation, input, mutation, query } from '../root-field.ts'
import { newestFirst, selectedNodes } from '../selected.ts'
import { KeyScopeEnum } from './enums.ts'

/** The limits of one key row. */
interface Limits {
  readonly limited: boolean
  readonly repoIds: readonly string[]
}

/**
 * Full names of the repos of each key, in byte order; null for a key without limits. Omits deleted repos and repos not
 * visible to the caller.
 */
async function repoNames(ctx: RequestContext, keys: readonly Limits[]): Promise<(string[] | null)[]> {
  const ids = keys.flatMap(({ repoIds }) => repoIds)
  const where = { AND: [{ id: { in: ids } }, repoVisibleWhere(ctx.viewer)] }
  const select = { id: true, slug: true, owner: { select: { handle: true } } } as const
  const orderBy: Prisma.RepoOrderByWithRelationInput[] = [{ owner: { handle: 'asc' } }, { slug: 'asc' }]
  const repos = ids.length === 0 ? [] : await ctx.deps.db.prisma.repo.findMany({ where, select, orderBy })
  const named = new Map(repos.map(({ id, slug, owner }, at) => [id, { at, name: `${owner.handle}/${slug}` }]))
  return keys.map(({ limited, repoIds }) => {
    if (!limited) return null
    const found = repoIds.flatMap((id) => named.get(id) ?? [])
    return found.toSorted((one, other) => one.at - other.at).map(({ name }) => name)
  })
}

/** One loader per request: the names for all keys of a page cost two queries. */
const namesOfRepos = createContextCache(
  (ctx: RequestContext) => new DataLoader((keys: readonly Limits[]) => repoNames(ctx, keys)),
)

/** Reached through the listing and the mutations, which check visibility. */
const ApiKeyType = builder.prismaObject('ApiKey', {
  description: 'An API key without its token, which is shown only on creation.',
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `key_`.' }),
    name: t.exposeString('name', { description: 'Name given by its creator.' }),
    owner: t.relation('account', { description: 'The account of the credential.' }),
    scope: t.expose('scope', { type: KeyScopeEnum, description: 'Scope of the key; each includes those before it.' }),
    repos: t.stringList({
      most: 100,
      nullable: true,
      description:
        'Full names of the repos that the key is limited to, as far as visible to the caller; null if it is not ' +
        'limited.',
      select: { limited: true, repoIds: true },
      resolve: (key, _args, ctx) => namesOfRepos(ctx).load(key),
    }),
    agent: t.exposeBoolean('agent', {
      description: 'True for an agent key, which may not delete repos or make one public.',
    }),
    dailyGpuHourQuota: t.float({
      nullable: true,
      description: "GPU-hour quota per day; null if only the account's quota applies.",
      select: { dailyGpuHourQuota: true },
      resolve: ({ dailyGpuHourQuota }) => dailyGpuHourQuota?.toNumber() ?? null,
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it expires; null if never.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null while it is active.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null if never.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
  }),
})

const ApiKeyConnection = builder.connectionObject(
  {
    type: ApiKeyType,
    name: 'ApiKeyConnection',
    description: 'A page of API keys.',
    fields: (connection) => ({
      nodes: connection.field({
        type: [ApiKeyType],
        description: 'The keys.',
        resolve: nodesOf<{ readonly id: string }>,
      }),
    }),
  },
  { name: 'ApiKeyEdge', description: 'An API key and its cursor.' },
)

/** The key as an entity, for a payload. */
const readKey = (ctx: RequestContext, id: string, query: object) =>
  ctx.deps.db.prisma.apiKey.findUniqueOrThrow({ ...query, where: { id } })

/** A type that shows a new key and its token. Each mutation that makes a key has its own. */
export const createdKeyType = (name: string, description: string) =>
  builder.objectRef<Created>(name).implement({
    description,
    fields: (t) => ({
      key: t.prismaField({
        type: ApiKeyType,
        description: 'The key.',
        resolve: (query, { id }, _args, ctx) => readKey(ctx, id, query),
      }),
      token: t.exposeString('token', { description: '`hub_key_…`: send it as `Authorization: Bearer`.' }),
    }),
  })

mutation('createApiKey', {
  type: createdKeyType('CreatedApiKey', 'A new API key with its token, which is shown only here.'),
  description: 'Creates an API key and returns its token once; the hub keeps only its SHA-256.',
  scope: 'session',
  input: input('The key to create, for yourself or one of your orgs.', (t) => ({
    name: t.string({ required: true, ...rule(keyNameText), description: 'Name of the key, 1 to 100 characters.' }),
    scope: t.field({
      type: KeyScopeEnum,
      required: true,
      description: 'Scope of the key; each includes those before it.',
    }),
    owner: t.string({
      ...rule(z.string().max(256)),
      description: 'Handle of the account: yourself (default) or one of your orgs.',
    }),
    repos: t.stringList({
      ...rule(z.array(fullNameText).max(100)),
      description: 'Limits the key to these repos (full names).',
    }),
    agent: t.boolean({ description: 'True for an agent key, which may not delete repos or make one public.' }),
    dailyGpuHourQuota: t.float({
      ...rule(z.number().min(0)),
      description: 'GPU hours that runs of this key may reserve per day.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it expires.' }),
  })),
  verb: createApiKey,
})

entityMutation('revokeApiKey', {
  type: ApiKeyType,
  payload: { name: 'key', description: 'The revoked key.' },
  description: 'Revokes a key permanently: with a session, or with the key itself. Idempotent.',
  scope: 'key:read',
  input: input('The key to revoke.', (t) => ({ id: t.id({ required: true, description: 'Id of the key.' }) })),
  verb: revokeApiKey,
  read: (ctx, { id }, query) => readKey(ctx, id, query),
})

query('apiKeys', {
  type: ApiKeyConnection,
  description: 'API keys of yourself or one of your orgs, newest first, including revoked ones.',
  scope: 'session',
  args: args((t) => ({
    ...pageArgs(t),
    owner: t.string({
      ...rule(z.string().max(256)),
      description: 'Handle of the account: yourself (default) or one of your orgs.',
    }),
  })),
  read: async (ctx, { owner, ...page }, info) => {
    const { id: accountId } = await findManagedAccount(ctx, owner ?? null)
    const query = selectedNodes(ctx, info, 'ApiKey', { id: true })
    // Keys of hosted jobs are internal to the hub.
    return newestFirst({ name: 'keys', accountId, prefix: 'key' }, page, ({ where, ...keyset }) =>
      ctx.deps.db.prisma.apiKey.findMany({ ...query, ...keyset, where: { ...where, jobId: null } }),
    )
  },
})
