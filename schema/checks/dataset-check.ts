/** Checks of data sets: asking for one, taking and reporting it, and what it found. Contract, "Checks of data sets". */
import { plainText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { checksOfRepos, type DatasetCheck, reportsOfRepos } from '../../src/checks/datasets/check-rows.ts'
import { claimNextDatasetCheck } from '../../src/checks/datasets/claim-check.ts'
import { reportDatasetCheck } from '../../src/checks/datasets/report-check.ts'
import { datasetReport } from '../../src/checks/datasets/report-shape.ts'
import { requestDatasetCheck } from '../../src/checks/datasets/request-check.ts'
import { builder } from '../builder.ts'
import { repoName, rule } from '../input-field.ts'
import { RepoType } from '../repos/repo.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { input, mutation } from '../root-field.ts'
import { claimNextFields } from '../runs/claim-input.ts'
import { wordEnum } from '../word-enum.ts'
import { DatasetReportType } from './dataset-report.ts'
import { RobotCheckReportStatusEnum } from './enums.ts'
import { leasedFields } from './leased-fields.ts'

const CauseEnum = wordEnum('DatasetCheckCause', 'Why a data set is checked.', {
  commit: 'A commit brought a `meta/info.json`.',
  person: 'A person asked for it.',
})

const DatasetCheckType = builder.objectRef<DatasetCheck>('DatasetCheck').implement({
  description: 'The check of a data set: one for each repo, of its newest state, with the current report.',
  fields: (t) => ({
    ...leasedFields(t, {
      seq: 'Change number of the files that it is about.',
      status: 'Status of what is asked for or in progress; the report of an earlier check stays until it ends.',
      requestedAt: 'Since when it has waited.',
      requester:
        'Who asked for it; null for a commit, for keys without a person, and if the caller is neither the owner of ' +
        'the repo nor a member.',
      error:
        "Why the last one failed, in its worker's words; null if the caller is neither the owner nor one of its " +
        'members.',
    }),
    cause: t.expose('cause', { type: CauseEnum, description: 'Why it was asked for.' }),
    episodesDone: t.exposeInt('episodesDone', { description: 'Episodes that were looked at.' }),
    episodesTotal: t.exposeInt('episodesTotal', { nullable: true, description: 'Of how many; null until known.' }),
    reportSeq: t.exposeInt('reportSeq', {
      nullable: true,
      description: 'Change number of the files that `report` is about; null without one.',
    }),
    reportAt: t.expose('reportAt', { type: 'DateTime', nullable: true, description: 'When the report came.' }),
    isOutdated: t.exposeBoolean('isOutdated', { description: 'Whether the files have changed since the report.' }),
  }),
})

builder.objectField(DatasetCheckType, 'report', (t) =>
  t.loadable({
    type: DatasetReportType,
    nullable: true,
    // Up to 1 MiB is read for each.
    work: 500,
    description: 'What the last check that succeeded found; null before it. One statement for any number of repos.',
    resolve: ({ repoId }) => repoId,
    load: (repoIds: string[], { deps }) => reportsOfRepos(deps.db, repoIds),
  }),
)

builder.objectField(RepoType, 'datasetCheck', (t) =>
  t.loadable({
    type: DatasetCheckType,
    nullable: true,
    description: 'The check of a data set; null where there was none. One statement for any number of repos.',
    resolve: ({ id }) => id,
    load: (repoIds: string[], { deps }) => checksOfRepos(deps.db, repoIds),
  }),
)

mutation('requestDatasetCheck', {
  type: DatasetCheckType,
  description:
    'Asks for a check of a data set as it is now, which a worker of its owner takes. One that waits already stays; ' +
    'one that runs is done once more if the files have changed. 409 for a repo that is not a LeRobot data set.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The data set.', (t) => ({ ...repoName(t) })),
  payload: { name: 'check', description: 'The check.' },
  verb: requestDatasetCheck,
})

mutation('claimNextDatasetCheck', {
  type: DatasetCheckType,
  nullable: true,
  description:
    'Takes the check of a data set that has waited longest, or one whose worker has not reported for two minutes; ' +
    'null if none becomes available in time. Its worker reads the files of `repo` at `seq`.',
  scope: 'key:write',
  input: input('The name of a worker of data sets, and how long to wait.', (t) => ({
    ...claimNextFields(t, 'worker', 'checks'),
  })),
  payload: { name: 'check', description: 'The check; null if none became available in time.' },
  verb: claimNextDatasetCheck,
})

const count = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)

mutation('reportDatasetCheck', {
  type: DatasetCheckType,
  description:
    'Reports the progress of a check of a data set, or its end. 409 where another worker has the check, or it has ' +
    'ended: then stop. 413 for a report over 1 MiB.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The data set, the attempt, and the report.', (t) => ({
    ...repoName(t),
    attempt: t.int({ required: true, ...rule(count), description: 'Of the claim.' }),
    status: t.field({ type: RobotCheckReportStatusEnum, description: 'The end; absent while it goes on.' }),
    episodesDone: t.int({ ...rule(count), description: 'Episodes that were looked at.' }),
    episodesTotal: t.int({ ...rule(count), description: 'Of how many.' }),
    report: t.field({
      type: 'JSON',
      ...rule(datasetReport),
      description: 'With `succeeded`: what was found, an object with the members of `DatasetReport`.',
    }),
    error: t.string({ ...rule(plainText(4000)), description: 'With `failed`: why.' }),
  })),
  payload: { name: 'check', description: 'The check as it is now.' },
  verb: (ctx, { report, ...given }) =>
    reportDatasetCheck(ctx, { ...given, report: (report ?? null) as Record<string, unknown> | null }),
})
