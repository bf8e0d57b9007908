/** Spend holds: type, queries and subscription. Spec, "Spend hold"; contract, "Spend holds". */
import { holdsOfAccounts } from '../../src/billing/holds/account-holds.ts'
import { getHold, getHoldsById } from '../../src/billing/holds/get-hold.ts'
import type { SpendHold } from '../../src/billing/holds/hold-shape.ts'
import { changedHolds, listHolds } from '../../src/billing/holds/list-holds.ts'
import { watchHold } from '../../src/billing/holds/watch-hold.ts'
import { maySeeCap } from '../../src/billing/spend-account.ts'
import { capOf, monthUsd, readSpendMonths, type SpendMonth } from '../../src/billing/spend-month.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { Account } from '../accounts/account.ts'
import { listUpdates } from '../accounts/list-updates.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { member } from '../member.ts'
import { nodeIds } from '../node-id.ts'
import { relatedPages } from '../related-pages.ts'
import { args, query, subscription } from '../root-field.ts'
import { wordEnum } from '../word-enum.ts'
import { SpendCapModeEnum } from './spend-parts.ts'

const SpendHoldStatusEnum = wordEnum('SpendHoldStatus', 'State of a spend hold.', {
  pending: 'Waits for a person.',
  approved: 'Its job was created.',
  denied: 'A person refused it; `reason` says why.',
  canceled: 'Withdrawn by the key that filed it, or by a person.',
  expired: 'It was not decided in time.',
})

const SpendHoldKindEnum = wordEnum('SpendHoldKind', 'Kind of work that a spend hold asks for.', {
  run: 'A training run.',
  robot_check: 'A robot check or model check.',
  endpoint: 'An inference endpoint.',
})

const HoldKeyType = builder.objectRef<SpendHold>('SpendHoldKey').implement({
  description: 'The key that filed a hold; it may have been revoked since.',
  fields: (t) => ({
    keyId: t.id({ description: 'TypeID, prefix `key_`.', resolve: ({ filedBy }) => filedBy }),
    name: t.string({ description: 'Its name when it filed the hold.', resolve: ({ filedByName }) => filedByName }),
  }),
})

type HoldCap = Pick<SpendMonth, 'capUsd' | 'capMode' | 'recordedUsd' | 'reservedUsd'>

const hiddenCap: HoldCap = { capUsd: null, capMode: null, recordedUsd: '0.0000', reservedUsd: '0.0000' }

const HoldCapType = builder.objectRef<HoldCap>('SpendHoldCap').implement({
  description:
    'The spend cap of an account and its month, as they stand now. A caller who has left the account sees none of ' +
    'it: nulls, and 0.',
  fields: (t) => ({
    mode: t.field({
      type: SpendCapModeEnum,
      nullable: true,
      description: 'Effect of the cap; null if the account has none.',
      resolve: (month) => capOf(month)?.mode ?? null,
    }),
    limitUsd: t.float({
      nullable: true,
      description: 'The cap of a calendar month (UTC) in US dollars; null if the account has none.',
      resolve: (month) => usdOrNull(capOf(month)?.limitUsd),
    }),
    monthUsd: t.float({
      description: 'Recorded spend of the month and the most that work in progress can still cost, in US dollars.',
      resolve: (month) => Number(monthUsd(month)),
    }),
  }),
})

const usdOrNull = (usd: string | undefined) => (usd === undefined ? null : Number(usd))

export const SpendHoldType = builder.objectRef<SpendHold>('SpendHold')

nodeIds('spend', 'SpendHold')
builder.node(SpendHoldType, {
  description: "Hosted work that an agent's key asked for beyond the free allowance, and that a person has to confirm.",
  id: { resolve: member('id', (hold) => hold.id), description: 'TypeID, prefix `spend_`; sorts by creation.' },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'reserveUsd' in value,
  loadMany: (ids, ctx) => getHoldsById(ctx.deps.db, ctx.viewer, ids),
  fields: (t) => ({
    status: t.expose('status', { type: SpendHoldStatusEnum, description: 'Current state.' }),
    kind: t.expose('kind', { type: SpendHoldKindEnum, description: 'Kind of work that it asks for.' }),
    account: t.expose('account', { type: Account, description: 'The account that would be billed.' }),
    filedBy: t.field({ type: HoldKeyType, description: 'The key that filed it.', resolve: (hold) => hold }),
    request: t.expose('request', { type: 'JSON', description: 'The request as it was sent, in the names of `/v1`.' }),
    summary: t.exposeString('summary', { description: 'The request in one sentence.' }),
    estimateUsd: t.float({
      description: 'Expected cost in US dollars.',
      resolve: ({ estimateUsd }) => Number(estimateUsd),
    }),
    reserveUsd: t.float({
      description: 'The most that it can cost: approving reserves no more, and no bill is above it. In US dollars.',
      resolve: ({ reserveUsd }) => Number(reserveUsd),
    }),
    allowanceUsd: t.float({
      description: 'How much of it the free allowance had room for when it was filed, in US dollars.',
      resolve: ({ allowanceUsd }) => Number(allowanceUsd),
    }),
    cap: t.loadable({
      type: HoldCapType,
      description: "The account's spend cap and month, as they stand now. One statement for any number of holds.",
      resolve: ({ account }) => account.id,
      load: async (ids: string[], ctx: RequestContext) => {
        const own = ids.filter((id) => maySeeCap(ctx.viewer, id))
        const found = own.length === 0 ? [] : await readSpendMonths(ctx.deps.db, own)
        const months = new Map(found.map((month) => [month.accountId, month]))
        return ids.map((id) => months.get(id) ?? hiddenCap)
      },
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was filed.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it expires unless it is decided.' }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was decided or expired; null while it is pending.',
    }),
    decidedBy: t.expose('decidedBy', {
      type: Account,
      nullable: true,
      description: 'The person who decided; null where the filing key canceled it, or time decided.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it was denied.' }),
    resultId: t.id({
      nullable: true,
      description: 'Id of the job that approving created.',
      resolve: ({ resultId }) => resultId,
    }),
    resultKind: t.field({
      type: SpendHoldKindEnum,
      nullable: true,
      description: 'Kind of that job; null without one.',
      resolve: ({ resultId, kind }) => (resultId === null ? null : kind),
    }),
  }),
})

query('spendHold', {
  type: SpendHoldType,
  nullable: true,
  description: 'A spend hold by id; null if it does not exist or is not visible to the caller.',
  scope: 'key:read',
  args: args((t) => ({ id: t.id({ required: true, description: 'TypeID, `spend_…`.' }) })),
  read: (ctx, { id }) => getHold(ctx, id),
})

const SpendHoldConnection = builder.connectionObject(
  {
    type: SpendHoldType,
    name: 'SpendHoldConnection',
    description: 'A page of spend holds.',
    fields: (connection) => ({
      nodes: connection.field({ type: [SpendHoldType], description: 'The holds.', resolve: nodesOf<SpendHold> }),
    }),
  },
  { name: 'SpendHoldEdge', description: 'A spend hold and its cursor.' },
)

query('spendHolds', {
  type: SpendHoldConnection,
  description:
    "Spend holds on the caller's account and orgs, and those that the caller's keys filed, newest first. A key " +
    'limited to repos sees those that it filed itself.',
  scope: 'key:read',
  args: args((t) => ({
    ...pageArgs(t),
    status: t.field({ type: SpendHoldStatusEnum, description: 'Only holds in this state.' }),
  })),
  read: async (ctx, args) => {
    const input = { ...args, ...forwardArgs(args, MAX_PAGE_SIZE) }
    return new Connection(await listHolds(ctx, input), Boolean(input.after))
  },
})

builder.objectField(Account, 'spendHolds', (t) =>
  t.loadable({
    type: SpendHoldConnection,
    byPath: true,
    description:
      'Spend holds on the account that are visible to the caller, newest first: all of them for its user or ' +
      'members, those of their own keys for others. One statement for any number of accounts.',
    args: args((t) => ({
      ...pageArgs(t),
      status: t.field({ type: SpendHoldStatusEnum, description: 'Only holds in this state.' }),
    })),
    resolve: (account) => account.id,
    load: relatedPages(holdsOfAccounts),
  }),
)

subscription('spendHoldUpdated', {
  type: SpendHoldType,
  description:
    'The current hold, then the hold once it is decided. Ends then, or when the hold is no longer visible to the ' +
    'caller.',
  scope: 'key:read',
  args: args((t) => ({ holdId: t.id({ required: true, description: 'Id of the hold.' }) })),
  events: (ctx, { holdId }) => watchHold(ctx, holdId),
})

listUpdates('holdsUpdated', { typeName: 'HoldsUpdate', nouns: 'spend holds', node: SpendHoldType, list: changedHolds })
