/** Devices: robots that use endpoints. Contract, "Devices". */

import { fullNameText, handleText, wordText } from '@hub/formats/text-rules'
import { createContextCache } from '@pothos/core'
import DataLoader from 'dataloader'
import type { GraphQLResolveInfo } from 'graphql'
import { z } from 'zod'
import { deviceVisibleWhere } from '../../src/auth/device-policy.ts'
import { devicesOfAccounts } from '../../src/devices/account-devices.ts'
import { listDevices } from '../../src/devices/list-devices.ts'
import { registerDevice } from '../../src/devices/register-device.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { getReposById } from '../../src/repos/get-repo.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { nodeIds } from '../node-id.ts'
import { RepoType } from '../repos/repo.ts'
import { args, entityMutation, input, query } from '../root-field.ts'
import { selectedNodes, selectedRows } from '../selected.ts'

/** One loader per request: the robots of a page cost one statement. */
const reposOfRequest = createContextCache(
  (ctx: RequestContext) => new DataLoader((ids: readonly string[]) => getReposById(ctx.deps.db, ctx.viewer, ids)),
)

nodeIds('dev', 'Device')
export const DeviceType = builder.prismaNode('Device', {
  description:
    'A robot of an account, which uses endpoints under approvals. Visible to members of its owner; to a key ' +
    'limited to repos if its robot repo is listed.',
  id: { field: 'id', description: 'TypeID, prefix `dev_`; sorts by time.' },
  nullable: true,
  findUnique: (id, ctx) => ({ id, ...deviceVisibleWhere(ctx.viewer) }),
  select: { id: true },
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name, unique for its owner.' }),
    owner: t.relation('owner', { description: 'The account that it belongs to.' }),
    robotRepoName: t.exposeString('robotRepoName', {
      nullable: true,
      description: 'Full name of its robot repo when it was registered; null if it has none.',
    }),
    robotRepo: t.field({
      type: RepoType,
      nullable: true,
      description: 'Its robot repo as it is now; null if there is none or it is not visible to the caller.',
      select: { robotRepoId: true },
      resolve: ({ robotRepoId }, _args, ctx) => (robotRepoId === null ? null : reposOfRequest(ctx).load(robotRepoId)),
    }),
    createdBy: t.relation('creator', {
      nullable: true,
      description: "The user who registered it; null for the operator's command line.",
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was registered.' }),
  }),
})

/**
 * Devices by id in the order asked, with the columns that the field of `info` selects; null where invisible. One query
 * for any number.
 */
export async function visibleDevices(ctx: RequestContext, ids: readonly string[], info: GraphQLResolveInfo) {
  const query = selectedRows(ctx, info, { id: true })
  const where = { id: { in: [...ids] }, ...deviceVisibleWhere(ctx.viewer) }
  const found = new Map((await ctx.deps.db.prisma.device.findMany({ ...query, where })).map((row) => [row.id, row]))
  return ids.map((id) => found.get(id) ?? null)
}

const DeviceConnection = builder.connectionObject(
  {
    type: DeviceType,
    name: 'DeviceConnection',
    description: 'A page of devices.',
    fields: (connection) => ({
      nodes: connection.field({
        type: [DeviceType],
        description: 'The devices.',
        resolve: nodesOf<{ readonly id: string }>,
      }),
    }),
  },
  { name: 'DeviceEdge', description: 'A device and its cursor.' },
)

/**
 * The devices of pages, with the columns that the connection of `info` selects, as a function from keys to rows. One
 * query; none for no keys.
 */
async function devicesByKey(ctx: RequestContext, keys: readonly { readonly id: string }[], info: GraphQLResolveInfo) {
  const query = selectedNodes(ctx, info, 'Device', { id: true })
  const where = { id: { in: keys.map(({ id }) => id) } }
  const rows = keys.length === 0 ? [] : await ctx.deps.db.prisma.device.findMany({ ...query, where })
  const found = new Map(rows.map((row) => [row.id, row]))
  // One that was deleted in between is left out.
  return (page: typeof keys) => page.flatMap(({ id }) => found.get(id) ?? [])
}

entityMutation('registerDevice', {
  type: DeviceType,
  payload: { name: 'device', description: 'The device.' },
  description: 'Registers a robot of yourself or one of your orgs. 409 if the owner has a device with this name.',
  scope: 'session',
  input: input('The device to register.', (t) => ({
    owner: t.string({
      ...rule(z.string().max(256)),
      description: 'Handle of the owner: yourself (default) or one of your orgs.',
    }),
    name: t.string({
      required: true,
      ...rule(wordText),
      description: 'Name, 1 to 64 characters, unique for the owner.',
    }),
    robotRepo: t.string({
      ...rule(fullNameText),
      description: 'Full name of the robot repo that describes it, as far as visible to the owner.',
    }),
  })),
  verb: registerDevice,
  read: (ctx: RequestContext, { id }, query) =>
    ctx.deps.db.prisma.device.findUniqueOrThrow({ ...query, where: { id } }),
})

query('devices', {
  type: DeviceConnection,
  description: 'Devices visible to the caller, newest first. An unknown owner is an empty page.',
  scope: 'key:read',
  args: args((t) => ({
    ...pageArgs(t),
    owner: t.string({ ...rule(handleText), description: 'Only devices of this account.' }),
  })),
  read: async (ctx, { owner, ...given }, info) => {
    const page = forwardArgs(given, MAX_PAGE_SIZE)
    const { nodes, hasNextPage, cursorOf } = await listDevices(ctx, { owner: owner ?? null, ...page })
    const byId = await devicesByKey(ctx, nodes, info)
    return new Connection({ nodes: byId(nodes), hasNextPage, cursorOf }, page.after !== null)
  },
})

builder.objectField(Account, 'devices', (t) =>
  t.loadable({
    type: DeviceConnection,
    byPath: true,
    description:
      'Its devices that are visible to the caller, newest first: none unless the caller is its user or a member. ' +
      'Two statements for any number of accounts.',
    args: pageArgs(t.arg),
    resolve: (account) => account.id,
    load: async (accountIds: string[], ctx, given, info) => {
      const page = forwardArgs(given, MAX_PAGE_SIZE)
      const pages = await devicesOfAccounts(ctx, accountIds, page)
      const byId = await devicesByKey(
        ctx,
        pages.flatMap(({ nodes }) => nodes),
        info,
      )
      return pages.map(({ nodes, hasNextPage, cursorOf }, at) => {
        const of = accountIds[at] ?? ''
        return new Connection(
          {
            nodes: byId(nodes),
            hasNextPage,
            cursorOf: ({ id }: { readonly id: string }) => cursorOf({ of, id }),
          },
          page.after !== null,
        )
      })
    },
  }),
)
