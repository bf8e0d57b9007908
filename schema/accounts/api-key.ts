/** API keys: made and revoked by people. Contract, "Credentials". */
import { createContextCache } from '@pothos/core'
import DataLoader from 'dataloader'
import { z } from 'zod'
import type { Prisma } from '../../prisma/generated/client/client.ts'
import { type CreatedApiKey as Created, createApiKey, revokeApiKey } from '../../src/accounts/api-keys.ts'
import { findManagedAccount } from '../../src/accounts/find-account.ts'
import { repoVisibleWhere } from '../../src/auth/policy.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { fullNameText, keyNameText } from '../../src/platform/text-rules.ts'
import { builder } from '../builder.ts'
import { nodesOf } from '../connection.ts'
import { rule } from '../input-field.ts'
import { args, entityMutation, input, mutation, query } from '../root-field.ts'
import { newestFirst, selectedNodes } from '../selected.ts'
import { KeyScopeEnum } from './enums.ts'

/** What a key is limited to, of one row. */
interface Limits {
  readonly limited: boolean
  readonly repoIds: readonly string[]
}

/** Full names of the repos of each key, in byte order; null for a key without limits. Repos that are gone, or that the caller does not see, are left out. */
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

/** One for a request: the names for all keys of a page cost two queries. */
const namesOfRepos = createContextCache(
  (ctx: RequestContext) => new DataLoader((keys: readonly Limits[]) => repoNames(ctx, keys)),
)

/** Reached by the listing and the mutations, which ask who may see it. */
const ApiKeyType = builder.prismaObject('ApiKey', {
  description: 'A key as it can be shown: its token was shown once, when it was made.',
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `key_`.' }),
    name: t.exposeString('name', { description: 'What its maker called it.' }),
    owner: t.relation('account', { description: 'The account that it belongs to.' }),
    scope: t.expose('scope', { type: KeyScopeEnum, description: 'Its level.' }),
    repos: t.stringList({
      nullable: true,
      description:
        'The only repos that it may touch, by full name, as far as the caller sees them; null when it is not limited.',
      select: { limited: true, repoIds: true },
      resolve: (key, _args, ctx) => namesOfRepos(ctx).load(key),
    }),
    agent: t.exposeBoolean('agent', {
      description: "Whether it is an agent's: it may not delete a repo or make one public.",
    }),
    dailyGpuHourQuota: t.float({
      nullable: true,
      description: 'GPU hours a day; null for the account’s own.',
      select: { dailyGpuHourQuota: true },
      resolve: ({ dailyGpuHourQuota }) => dailyGpuHourQuota?.toNumber() ?? null,
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

const readKey = (ctx: RequestContext, id: string, query: object) =>
  ctx.deps.db.prisma.apiKey.findUniqueOrThrow({ ...query, where: { id } })

const CreatedApiKey = builder.objectRef<Created>('CreatedApiKey').implement({
  description: 'A new key with its token, which is shown this once.',
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

entityMutation('revokeApiKey', {
  type: ApiKeyType,
  payload: { name: 'key', description: 'The key, which has ended.' },
  description: 'Ends a key for good; a second time changes nothing.',
  scope: 'session',
  input: input('Which key ends.', (t) => ({ id: t.id({ required: true, description: 'Id of the key.' }) })),
  verb: revokeApiKey,
  read: (ctx, { id }, query) => readKey(ctx, id, query),
})

query('apiKeys', {
  type: ApiKeyConnection,
  description: 'Keys of yourself or of an org of yours, newest first, revoked ones too.',
  scope: 'session',
  args: args((t) => ({
    ...t.connectionArgs(),
    owner: t.string({
      ...rule(z.string().max(256)),
      description: 'Handle of yourself (default) or of an org of yours.',
    }),
  })),
  read: async (ctx, { owner, ...page }, info) => {
    const { id: accountId } = await findManagedAccount(ctx, owner ?? null)
    const query = selectedNodes(ctx, info, 'ApiKey', { id: true })
    // The key of a hosted job is the hub's own.
    return newestFirst({ listing: `keys:${accountId}`, prefix: 'key' }, page, ({ where, ...keyset }) =>
      ctx.deps.db.prisma.apiKey.findMany({ ...query, ...keyset, where: { ...where, accountId, jobId: null } }),
    )
  },
})
