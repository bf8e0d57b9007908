/** Hardware tiers, and whom the deployment hosts. Spec, "HardwareTier". */
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
  description: 'A kind of GPU machine that a recipe may name.',
  fields: (t) => ({
    tier: t.exposeString('tier', { description: 'Its name.' }),
    rateUsdPerHour: t.float({
      resolve: ({ rateUsdPerHour }) => Number(rateUsdPerHour),
      description: "All-in, the hub's margin included; worker runs are never billed.",
    }),
    description: t.exposeString('description', { description: 'What it is.' }),
    vramGb: t.exposeFloat('vramGb', { description: 'Memory in GB of 10^9 bytes.' }),
  }),
})

const UsageType = builder.objectRef<HostedAllowanceUsage>('HostedAllowanceUsage').implement({
  description: "What the caller's account has used of the allowance this month.",
  fields: (t) => ({
    account: t.exposeString('account', { description: 'Its handle.' }),
    usedUsd: t.float({ resolve: ({ usedUsd }) => Number(usedUsd), description: 'Billed this month.' }),
    reservedUsd: t.float({
      resolve: ({ reservedUsd }) => Number(reservedUsd),
      description: 'What waiting and running work may still cost.',
    }),
    remainingUsd: t.float({ resolve: ({ remainingUsd }) => Number(remainingUsd), description: 'What is left.' }),
    periodStart: t.expose('periodStart', { type: 'DateTime', description: 'The first of the month, UTC.' }),
    resetsAt: t.expose('resetsAt', { type: 'DateTime', description: 'The first of the next.' }),
  }),
})

const AllowanceType = builder.objectRef<HostedAllowance>('HostedAllowance').implement({
  description: 'What an account has free each calendar month (UTC).',
  fields: (t) => ({
    limitUsd: t.float({ resolve: ({ limitUsd }) => Number(limitUsd), description: 'A month.' }),
    cpuOnly: t.exposeBoolean('cpuOnly', { description: 'GPU work never fits.' }),
    work: t.exposeStringList('work', { description: 'Kinds of job.' }),
    viewer: t.expose('viewer', { type: UsageType, nullable: true, description: 'Null without a credential.' }),
  }),
})

const HostingType = builder.objectRef<HostedExecution>('HostedExecution').implement({
  description: 'Whom the deployment hosts.',
  fields: (t) => ({
    allowance: t.expose('allowance', { type: AllowanceType, nullable: true, description: 'Null where there is none.' }),
    configured: t.exposeBoolean('configured', { description: 'A hosted app is configured.' }),
    everyone: t.exposeBoolean('everyone', { description: 'Any owner.' }),
    owners: t.exposeStringList('owners', { description: 'Handles; empty for everyone.' }),
  }),
})

const TierListType = builder.objectRef<HardwareTierList>('HardwareTierList').implement({
  description: 'Every tier, smallest first, and the owners whose runs the deployment hosts.',
  fields: (t) => ({
    items: t.expose('items', { type: [TierType], description: 'By memory, then rate.' }),
    hosting: t.expose('hosting', { type: HostingType, description: 'Whom the deployment hosts.' }),
  }),
})

query('hardwareTiers', {
  type: TierListType,
  description: 'The tiers that a recipe may name, with the rates that hosted runs are billed at.',
  scope: 'none',
  read: listHardwareTiers,
})
