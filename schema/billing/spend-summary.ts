/** What an account spends, and its cap. Contract, "What an account spends". */
import { z } from 'zod'
import type { AllowanceUsage } from '../../src/billing/allowance.ts'
import { setSpendCap } from '../../src/billing/set-spend-cap.ts'
import { maySeeSpend } from '../../src/billing/spend-account.ts'
import { type SpendOfKind, type SpendSummary, spendSummary, summaryOf } from '../../src/billing/spend-summary.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { usdSum } from '../../src/platform/money.ts'
import { Account } from '../accounts/account.ts'
import { accountsById } from '../accounts/account-by-id.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { args, input, mutation, query } from '../root-field.ts'
import { SpendCapModeEnum, SpendCapType, SpendKindEnum } from './spend-parts.ts'

const SpendOfKindType = builder.objectRef<SpendOfKind>('SpendOfKind').implement({
  description: 'Spend of a month on one kind of work.',
  fields: (t) => ({
    kind: t.expose('kind', { type: SpendKindEnum, description: 'The kind of work.' }),
    entries: t.exposeInt('entries', { description: 'Number of ledger entries.' }),
    recordedUsd: t.float({
      description: "Sum of the month's ledger entries, in US dollars.",
      resolve: ({ recordedUsd }) => Number(recordedUsd),
    }),
    underWay: t.exposeInt('underWay', {
      description: 'Number of jobs that have a reservation; 0 for an earlier month.',
    }),
    reservedUsd: t.float({
      description: 'The most that they can still cost, in US dollars.',
      resolve: ({ reservedUsd }) => Number(reservedUsd),
    }),
  }),
})

const AllowanceOfMonthType = builder.objectRef<AllowanceUsage>('SpendAllowance').implement({
  description: "An account's free allowance in the current month.",
  fields: (t) => ({
    usedUsd: t.float({ description: 'Used, in US dollars.', resolve: ({ usedUsd }) => Number(usedUsd) }),
    reservedUsd: t.float({
      description: 'Reserved by work in progress, in US dollars.',
      resolve: ({ reservedUsd }) => Number(reservedUsd),
    }),
    remainingUsd: t.float({
      description: 'Left, in US dollars; never negative.',
      resolve: ({ remainingUsd }) => Number(remainingUsd),
    }),
  }),
})

const SpendSummaryType = builder.objectRef<SpendSummary>('SpendSummary').implement({
  description: 'What an account spends on hosted work in a calendar month (UTC).',
  fields: (t) => ({
    account: t.expose('account', { type: Account, description: 'The account.' }),
    month: t.exposeString('month', { description: 'The month, such as `2026-11`.' }),
    startsAt: t.expose('startsAt', { type: 'DateTime', description: 'Its start.' }),
    endsAt: t.expose('endsAt', { type: 'DateTime', description: 'The start of the next one.' }),
    recordedUsd: t.float({
      description: "Sum of the month's ledger entries, in US dollars.",
      resolve: ({ recordedUsd }) => Number(recordedUsd),
    }),
    reservedUsd: t.float({
      description: 'The most that work in progress can still cost, in US dollars; 0 for an earlier month.',
      resolve: ({ reservedUsd }) => Number(reservedUsd),
    }),
    monthUsd: t.float({
      description: 'Both together: what the cap is compared with, in US dollars.',
      resolve: ({ recordedUsd, reservedUsd }) => Number(usdSum(recordedUsd, reservedUsd)),
    }),
    kinds: t.expose('kinds', {
      most: 10,
      type: [SpendOfKindType],
      description: 'The same by kind of work; only kinds that have any.',
    }),
    cap: t.expose('cap', {
      type: SpendCapType,
      nullable: true,
      description: 'The current cap; null without one.',
    }),
    capPassedAt: t.expose('capPassedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the current month first passed a cap in mode `NOTIFY`; null if it has not.',
    }),
    allowanceLimitUsd: t.float({
      nullable: true,
      description: 'Free allowance of a month in US dollars; null if this deployment has none.',
      resolve: ({ allowanceLimitUsd }) => (allowanceLimitUsd === null ? null : Number(allowanceLimitUsd)),
    }),
    allowance: t.expose('allowance', {
      type: AllowanceOfMonthType,
      nullable: true,
      description: 'Use of the allowance in the current month; null for another month.',
    }),
  }),
})

const handle = z.string().max(256)
const month = {
  ...rule(z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11')),
  description: 'A month such as `2026-11`; the current one by default.',
}

builder.objectField(Account, 'spend', (t) =>
  t.loadable({
    type: SpendSummaryType,
    nullable: true,
    byPath: true,
    description:
      'What it spends in a month; null for a caller who cannot see that. Five statements at most for each ' +
      'account that they belong to, however often it is selected.',
    args: args((t) => ({ month: t.string(month) })),
    resolve: ({ id }) => id,
    load: async (ids: string[], ctx: RequestContext, given) => {
      const visible = ids.filter((id) => maySeeSpend(ctx.viewer, id))
      const accounts = await accountsById(ctx, visible)
      return Promise.all(
        ids.map(async (id) => {
          const account = accounts.get(id)
          return account ? summaryOf(ctx, account, given.month ?? null) : null
        }),
      )
    },
  }),
)

query('spendSummary', {
  type: SpendSummaryType,
  description:
    'What an account spends in a month: for the user, members of the org and their keys, but not for keys ' +
    'limited to repos. Five statements at most.',
  scope: 'key:read',
  args: args((t) => ({
    account: t.string({ ...rule(handle), description: "Handle of the account; the credential's account by default." }),
    month: t.string(month),
  })),
  read: (ctx, args) => spendSummary(ctx, args),
})

mutation('setSpendCap', {
  type: SpendSummaryType,
  payload: { name: 'spend', description: 'The current month under the new cap.' },
  description:
    'Sets, replaces or removes the spend cap of an account: only the user, or an owner of the org, in a session. ' +
    'Work that is in progress goes on.',
  scope: 'session',
  input: input('The account, and its cap.', (t) => ({
    account: t.string({ ...rule(handle), description: "Handle of the account; the person's own by default." }),
    usd: t.float({
      ...rule(z.number().min(0).max(1_000_000_000)),
      description:
        'The limit for a calendar month (UTC) in US dollars, rounded to four decimals; null removes the cap.',
    }),
    mode: t.field({ type: SpendCapModeEnum, description: 'Effect of the cap; required with `usd`.' }),
  })),
  verb: setSpendCap,
})
