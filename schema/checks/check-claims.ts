/** Mutations that change a check's state, besides reports: claim, claim-next, cancel. Spec, "Robot checks". */
import { claimCheck, claimNextCheck } from '../../src/checks/claim/claim-check.ts'
import { type CheckSource, signSource } from '../../src/checks/claim/sources.ts'
import { cancelCheck } from '../../src/checks/end/cancel-check.ts'
import { builder } from '../builder.ts'
import { input, mutation } from '../root-field.ts'
import { claimNextFields, workerName } from '../runs/claim-input.ts'
import { CheckType } from './check.ts'
import { targetCheck } from './target-check.ts'

const SourceType = builder.objectRef<CheckSource>('RobotCheckSource').implement({
  description: 'A file of the snapshot that was taken when the check was queued.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Path in the repo.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256, computed by the hub.' }),
    size: t.expose('size', { type: 'SafeInt', description: 'Bytes.' }),
    url: t.string({
      description: 'Presigned GET URL of exactly these bytes, valid for one hour.',
      extensions: { isSecret: true },
      resolve: (source, _args, ctx) => signSource(ctx, source),
    }),
  }),
})

builder.objectField(CheckType, 'sources', (t) =>
  t.field({
    most: 1000,
    type: [SourceType],
    nullable: true,
    description: 'Files of the snapshot. Only in the result of a claim; null otherwise.',
    resolve: ({ sources }) => sources ?? null,
  }),
)

mutation('claimRobotCheck', {
  type: CheckType,
  payload: { name: 'check', description: 'The claimed check with its `sources`.' },
  description:
    'Claims a queued check; of concurrent claims exactly one succeeds. 409 if the check is already claimed ' +
    '(naming the holder), has ended or is hosted.',
  scope: 'key:write',
  target: targetCheck,
  input: input('The check to claim, and the name of the worker.', (t) => ({
    checkId: t.id({ required: true, description: 'Id of the check.' }),
    worker: workerName(t, 'worker'),
  })),
  verb: claimCheck,
})

mutation('claimNextRobotCheck', {
  type: CheckType,
  nullable: true,
  payload: { name: 'check', description: 'The claimed check; null if none became available in time.' },
  description:
    'Claims the oldest queued worker check that the caller may claim; null if none becomes available in time.',
  scope: 'key:write',
  input: input('The name of the worker, and how long to wait.', (t) => ({
    ...claimNextFields(t, 'worker', 'checks'),
  })),
  verb: claimNextCheck,
})

mutation('cancelRobotCheck', {
  type: CheckType,
  payload: { name: 'check', description: 'The canceled check.' },
  description:
    'Ends a check that is queued or running; its worker learns of it on its next report, which is refused. 409 ' +
    'for one that has ended.',
  scope: 'key:write',
  target: targetCheck,
  input: input('The check to cancel.', (t) => ({
    checkId: t.id({ required: true, description: 'Id of the check.' }),
  })),
  verb: cancelCheck,
})
