/** Hardware tiers, and the owners that the deployment hosts. Spec, "HardwareTier". */
import type { HostedAllowance, HostedAllowanceUsage } from '../../src/billing/allowance.ts'
import {
  type HardwareTierList,
  type HostedExecution,
  listHardwareTiers,
} from '../../src/billing/list-hardware-tiers.ts'
import type { HardwareTier } from '../../src/platform/tier-table.ts'
import { builder } from '../builder.ts'
import { query } from '../root-field.ts'

const TierType = builder.objectRef<HardwareTier>('HardwareTier').implement({
  description: 'A GPU machine type that a recipe can request.',
  fields: (t) => ({
    tier: t.exposeString('tier', { description: 'Name of the model.' }),
    rateUsdPerHour: t.float({
      resolve: ({ rateUsdPerHour }) => Number(rateUsdPerHour),
      description: "Price per hour in US dollars, including the hub's margin; worker runs are never billed.",
    }),
    description: t.exposeString('description', { description: 'Description of the hardware.' }),
    vramGb: t.exposeFloat('vramGb', { description: 'GPU memory in GB (10^9 bytes).' }),
  }),
})

const UsageType = builder.objectRef<HostedAllowanceUsage>('HostedAllowanceUsage').implement({
  description: "The caller's use of the monthly allowance.",
  fields: (t) => ({
    account: t.exposeString('account', { description: 'Handle of the account.' }),
    usedUsd: t.float({
      resolve: ({ usedUsd }) => Number(usedUsd),
      description: 'Amount billed this month, in US dollars.',
    }),
    reservedUsd: t.float({
      resolve: ({ reservedUsd }) => Number(reservedUsd),
      description: 'Amount reserved by queued and running work, in US dollars.',
    }),
    remainingUsd: t.float({
      resolve: ({ remainingUsd }) => Number(remainingUsd),
      description: 'Amount left this month, in US dollars.',
    }),
    periodStart: t.expose('periodStart', { type: 'DateTime', description: 'Start of the current month, UTC.' }),
    resetsAt: t.expose('resetsAt', { type: 'DateTime', description: 'Start of the next month, UTC.' }),
  }),
})

const AllowanceType = builder.objectRef<HostedAllowance>('HostedAllowance').implement({
  description: 'Free allowance of an account per calendar month (UTC).',
  fields: (t) => ({
    limitUsd: t.float({
      resolve: ({ limitUsd }) => Number(limitUsd),
      description: 'Allowance per month, in US dollars.',
    }),
    cpuOnly: t.exposeBoolean('cpuOnly', { description: 'True: the allowance never covers GPU work.' }),
    work: t.exposeStringList('work', { most: 10, description: 'Kinds of jobs that it covers.' }),
    viewer: t.expose('viewer', {
      type: UsageType,
      nullable: true,
      description: "The caller's use of the allowance; null for anonymous callers.",
    }),
  }),
})

const HostingType = builder.objectRef<HostedExecution>('HostedExecution').implement({
  description: 'Which owners the deployment runs hosted jobs for.',
  fields: (t) => ({
    allowance: t.expose('allowance', {
      type: AllowanceType,
      nullable: true,
      description: 'The free allowance; null if the deployment has none.',
    }),
    configured: t.exposeBoolean('configured', { description: 'Whether a hosted app is configured.' }),
    everyone: t.exposeBoolean('everyone', { description: 'Whether every owner is allowed.' }),
    owners: t.exposeStringList('owners', {
      most: 100,
      description: 'Handles of the allowed owners; empty if everyone is.',
    }),
  }),
})

const TierListType = builder.objectRef<HardwareTierList>('HardwareTierList').implement({
  description: 'The hardware tiers, and the owners whose runs the deployment hosts.',
  fields: (t) => ({
    items: t.expose('items', { most: 20, type: [TierType], description: 'The tiers, by memory, then rate.' }),
    hosting: t.expose('hosting', {
      type: HostingType,
      description: 'Which owners the deployment runs hosted jobs for.',
    }),
  }),
})

query('hardwareTiers', {
  type: TierListType,
  description: 'The tiers that a recipe can request, with the rates of hosted runs.',
  scope: 'none',
  read: listHardwareTiers,
})
