/** `Account.counts`: what dashboards show of an account in numbers. Contract, "Reading". */
import { type AccountCounts, countsOfAccounts, MAX_COUNTED } from '../../src/accounts/account-counts.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { builder } from '../builder.ts'
import { Account } from './account.ts'

/** Of at most one above the cap. */
const CappedCount = builder.objectRef<number>('CappedCount').implement({
  description: `A number that is exact up to ${MAX_COUNTED}, where counting ends.`,
  fields: (t) => ({
    count: t.int({
      description: `How many there are; ${MAX_COUNTED} if there are more.`,
      resolve: (found) => Math.min(found, MAX_COUNTED),
    }),
    isCapped: t.boolean({
      description: `Whether there are more than ${MAX_COUNTED}.`,
      resolve: (found) => found > MAX_COUNTED,
    }),
  }),
})

interface ByStatus {
  readonly queued: number
  readonly running: number
  readonly succeeded: number
  readonly failed: number
  readonly canceled: number
}

const JobCounts = builder.objectRef<ByStatus>('JobCounts').implement({
  description: 'Jobs of an account by status.',
  fields: (t) => ({
    queued: t.expose('queued', { type: CappedCount, description: 'Number of queued ones.' }),
    running: t.expose('running', { type: CappedCount, description: 'Number of running ones.' }),
    succeeded: t.expose('succeeded', { type: CappedCount, description: 'Number of succeeded ones.' }),
    failed: t.expose('failed', { type: CappedCount, description: 'Number of failed ones.' }),
    canceled: t.expose('canceled', { type: CappedCount, description: 'Number of canceled ones.' }),
  }),
})

const Counts = builder.objectRef<AccountCounts>('AccountCounts').implement({
  description: 'Counts of the jobs, endpoints and holds of an account.',
  fields: (t) => ({
    runs: t.field({
      type: JobCounts,
      description: 'Runs billed to it.',
      resolve: (of) => ({
        queued: of.queuedRuns,
        running: of.runningRuns,
        succeeded: of.succeededRuns,
        failed: of.failedRuns,
        canceled: of.canceledRuns,
      }),
    }),
    checks: t.field({
      type: JobCounts,
      description: 'Robot checks and model checks billed to it.',
      resolve: (of) => ({
        queued: of.queuedChecks,
        running: of.runningChecks,
        succeeded: of.succeededChecks,
        failed: of.failedChecks,
        canceled: of.canceledChecks,
      }),
    }),
    liveEndpoints: t.field({
      type: CappedCount,
      description: 'Endpoints billed to it that are queued or running.',
      resolve: (of) => of.queuedEndpoints + of.runningEndpoints,
    }),
    pendingHolds: t.expose('pendingHolds', {
      type: CappedCount,
      description: 'Spend holds on it that wait for a person.',
    }),
  }),
})

builder.objectField(Account, 'counts', (t) =>
  t.loadable({
    type: Counts,
    nullable: true,
    description: `What it has in numbers, counted up to ${MAX_COUNTED} each; null unless the caller is its user or a member, and for keys that are limited to repos. One statement for any number of accounts.`,
    resolve: (account) => account.id,
    load: (ids: string[], ctx: RequestContext) => countsOfAccounts(ctx, ids),
  }),
)
