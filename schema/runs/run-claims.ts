/** What moves a run besides its reports: claim, claim-next, cancel, delete. Spec, "Runs". */
import { z } from 'zod'
import { handleText } from '../../src/platform/text-rules.ts'
import { claimNextRun } from '../../src/runs/claim/claim-next-run.ts'
import { claimRun } from '../../src/runs/claim/claim-run.ts'
import { cancelRun } from '../../src/runs/end/cancel-run.ts'
import { deleteRun } from '../../src/runs/end/delete-run.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { input, mutation } from '../root-field.ts'
import { RunType } from './run.ts'
import { targetRun } from './target-run.ts'

const workerText = z
  .string()
  .min(1)
  .max(128)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character')

const MAX_WAIT_S = 30

mutation('claimRun', {
  type: RunType,
  payload: { name: 'run', description: "The run, which is the caller's to report." },
  description:
    'Takes a queued worker run: of any number at once, one gets it. 409 for one that is claimed (naming the holder), has ended or is hosted. A running hosted run can be claimed again by its own call and credential.',
  scope: 'key:train',
  target: targetRun,
  input: input('Which run to claim, and as whom.', (t) => ({
    runId: t.id({ required: true, description: 'The run.' }),
    worker: t.string({ required: true, ...rule(workerText), description: "The runner's name for itself." }),
    hostedCallId: t.string({
      ...rule(z.string().min(1).max(256)),
      description: 'Of a hosted function: the call that it was given the run by.',
    }),
    resumeStep: t.field({
      type: 'SafeInt',
      ...rule(z.int().min(0)),
      description: 'Of a re-claim: the published step where the template restarts; metrics past it are dropped.',
    }),
  })),
  verb: claimRun,
})

mutation('claimNextRun', {
  type: RunType,
  nullable: true,
  payload: { name: 'run', description: 'The run that was claimed; null when none came within the time.' },
  description: 'Takes the oldest queued worker run that the caller may claim; null when none comes within the time.',
  scope: 'key:train',
  input: input('Who looks for work, and for how long.', (t) => ({
    worker: t.string({ required: true, ...rule(workerText), description: "The runner's name for itself." }),
    waitS: t.int({
      ...rule(z.int().min(0).max(MAX_WAIT_S)),
      description: 'Seconds to wait for work where there is none, 30 at most; 0 by default.',
    }),
    owner: t.string({
      ...rule(handleText),
      description: 'Handle of the account whose runs alone count; all accounts of the credential by default.',
    }),
  })),
  verb: claimNextRun,
})

mutation('cancelRun', {
  type: RunType,
  payload: { name: 'run', description: 'The run as it is now.' },
  description:
    'Ends a queued run at once and asks a running one to stop, which its runner sees on its next report. Repeating it changes nothing; 409 for one that has ended, 501 for a running hosted one.',
  scope: 'key:write',
  target: targetRun,
  input: input('Which run to cancel.', (t) => ({ runId: t.id({ required: true, description: 'The run.' }) })),
  verb: cancelRun,
})

const DeletedRun = builder.objectRef<{ id: string }>('DeletedRun').implement({
  description: 'What is left of a deleted run.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'The id that it had.' }) }),
})

mutation('deleteRun', {
  type: DeletedRun,
  description:
    'Deletes a run that has ended, with its log, metrics and artifacts. 409 while it is queued or running, or while runs descend from it; never for agent keys. What it cost stays in the ledger, and its GPU hours count for their day.',
  scope: 'key:write',
  target: targetRun,
  input: input('Which run to delete.', (t) => ({ runId: t.id({ required: true, description: 'The run.' }) })),
  verb: deleteRun,
})
