/** Edges between checks, repos and accounts. What the caller does not see is null, or not on the page. */

import { checksOfAccounts, checksOfRepos } from '../../src/checks/read/related-checks.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { getReposById } from '../../src/repos/get-repo.ts'
import { Account } from '../accounts/account.ts'
import { ledgerOfJob } from '../billing/ledger.ts'
import { builder } from '../builder.ts'
import { RobotCardType } from '../cards/robot-card.ts'
import { pageArgs } from '../connection.ts'
import { relatedPages } from '../related-pages.ts'
import { RepoType } from '../repos/repo.ts'
import { repoById } from '../repos/repo-edge.ts'
import { RepoUsageType } from '../repos/usage.ts'
import { args } from '../root-field.ts'
import { JobStatusEnum } from '../runs/enums.ts'
import { CheckConnection, CheckType } from './check.ts'
import { RobotCheckExecutorEnum, RobotCheckKindEnum } from './enums.ts'

builder.objectFields(CheckType, (t) => ({
  robotRepo: t.loadable({
    ...repoById,
    description: 'The robot repo as it is now; null if there is none or it is not visible to the caller.',
    resolve: ({ robotRepo }) => robotRepo?.id,
  }),
  modelRepo: t.loadable({
    ...repoById,
    description:
      'The model repo of a model check as it is now; null if there is none or it is not visible to the caller.',
    resolve: ({ modelRepo }) => modelRepo?.id,
  }),
  ledger: t.loadableGroup({
    ...ledgerOfJob,
    description: 'Ledger entries of the check, oldest first; none before it ends. One query for any number of checks.',
    resolve: ({ id }) => id,
  }),
  card: t.loadable({
    type: RobotCardType,
    nullable: true,
    description:
      'The stored card of the robot repo, which `draft.card` would replace; null if there is none or the repo is ' +
      'not visible to the caller.',
    resolve: ({ robotRepo }) => robotRepo?.id,
    load: async (ids: string[], ctx: RequestContext) => {
      const repos = await getReposById(ctx.deps.db, ctx.viewer, ids, { cards: true })
      return repos.map((repo) => repo?.robotCard ?? null)
    },
  }),
}))

const relatedCheckArgs = args((t) => ({
  ...pageArgs(t),
  status: t.field({ type: JobStatusEnum, description: 'Only checks with this status.' }),
  executor: t.field({ type: RobotCheckExecutorEnum, description: 'Only checks with this executor.' }),
  kind: t.field({ type: RobotCheckKindEnum, description: 'Only this kind.' }),
}))

const checksOfRepo = {
  type: CheckConnection,
  byPath: true,
  description:
    'Checks of the robot, or of the model, that are visible to the caller, newest first. Two statements for any ' +
    'number of repos.',
  args: relatedCheckArgs,
  load: relatedPages(checksOfRepos),
} as const

builder.objectField(RepoType, 'checks', (t) => t.loadable({ ...checksOfRepo, resolve: ({ id }) => id }))
builder.objectField(RepoUsageType, 'checks', (t) => t.loadable({ ...checksOfRepo, resolve: ({ id }) => id }))

builder.objectField(Account, 'checks', (t) =>
  t.loadable({
    type: CheckConnection,
    byPath: true,
    description:
      'Checks billed to the account that are visible to the caller, newest first: all of them for its user or ' +
      'members. Two statements for any number of accounts.',
    args: relatedCheckArgs,
    resolve: (account) => account.id,
    load: relatedPages(checksOfAccounts),
  }),
)
