/** What moves a check besides its reports: claim, claim-next, cancel. Spec, "Robot checks". */
import { z } from 'zod'
import { claimCheck, claimNextCheck } from '../../src/checks/claim/claim-check.ts'
import { type CheckSource, signSource } from '../../src/checks/claim/sources.ts'
import { cancelCheck } from '../../src/checks/end/cancel-check.ts'
import { handleText } from '../../src/platform/text-rules.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { input, mutation } from '../root-field.ts'
import { CheckType } from './check.ts'
import { targetCheck } from './target-check.ts'

const SourceType = builder.objectRef<CheckSource>('RobotCheckSource').implement({
  description: 'A file of the repo as it was when the check was queued.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Where it was.' }),
    sha256: t.exposeString('sha256', { description: 'By the hub.' }),
    size: t.expose('size', { type: 'SafeInt', description: 'Bytes.' }),
    url: t.string({
      description: 'Presigned GET URL of exactly these bytes; valid for an hour.',
      resolve: (source, _args, ctx) => signSource(ctx, source),
    }),
  }),
})

builder.objectField(CheckType, 'sources', (t) =>
  t.field({
    type: [SourceType],
    nullable: true,
    description: 'The snapshot, in the answer to a claim; null everywhere else.',
    resolve: ({ sources }) => sources ?? null,
  }),
)

const workerText = z
  .string()
  .min(1)
  .max(128)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character')

const MAX_WAIT_S = 30

mutation('claimRobotCheck', {
  type: CheckType,
  payload: { name: 'check', description: "The check with its `sources`, which is the caller's to report." },
  description:
    'Takes a queued check: of any number of callers at once, one gets it. 409 for one that is claimed (naming the holder), has ended or is hosted.',
  scope: 'key:write',
  target: targetCheck,
  input: input('Which check to claim, and as whom.', (t) => ({
    checkId: t.id({ required: true, description: 'Id of the check.' }),
    worker: t.string({ required: true, ...rule(workerText), description: "The worker's name for itself." }),
  })),
  verb: claimCheck,
})

mutation('claimNextRobotCheck', {
  type: CheckType,
  nullable: true,
  payload: { name: 'check', description: 'The check that was claimed; null when none came within the time.' },
  description: 'Takes the oldest queued worker check that the caller may claim; null when none comes within the time.',
  scope: 'key:write',
  input: input('Who looks for work, and for how long.', (t) => ({
    worker: t.string({ required: true, ...rule(workerText), description: "The worker's name for itself." }),
    waitS: t.int({
      ...rule(z.int().min(0).max(MAX_WAIT_S)),
      description: 'Seconds to wait for work where there is none, 30 at most; 0 by default.',
    }),
    owner: t.string({
      ...rule(handleText),
      description: 'Handle of the account whose checks alone count; all accounts of the credential by default.',
    }),
  })),
  verb: claimNextCheck,
})

mutation('cancelRobotCheck', {
  type: CheckType,
  payload: { name: 'check', description: 'The check, canceled.' },
  description:
    'Ends a check that is queued or running; its worker learns of it on its next report, which is refused. 409 for one that has ended.',
  scope: 'key:write',
  target: targetCheck,
  input: input('Which check to cancel.', (t) => ({
    checkId: t.id({ required: true, description: 'Id of the check.' }),
  })),
  verb: cancelCheck,
})
