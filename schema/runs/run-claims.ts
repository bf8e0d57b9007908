/** Mutations that change a run's state, besides reports: claim, claim-next, cancel, delete. Spec, "Runs". */
import { z } from 'zod'
import { claimNextRun } from '../../src/runs/claim/claim-next-run.ts'
import { claimRun } from '../../src/runs/claim/claim-run.ts'
import { cancelRun } from '../../src/runs/end/cancel-run.ts'
import { deleteRun } from '../../src/runs/end/delete-run.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { input, mutation } from '../root-field.ts'
import { claimNextFields, workerName } from './claim-input.ts'
import { RunType } from './run.ts'
import { targetRun } from './target-run.ts'

mutation('claimRun', {
  type: RunType,
  payload: { name: 'run', description: 'The claimed run, which the caller now reports on.' },
  description:
    'Claims a queued worker run; of concurrent claims exactly one succeeds. 409 if the run is already claimed ' +
    '(naming the holder), has ended or is hosted. A running hosted run can be claimed again by its own call and ' +
    'credential.',
  scope: 'key:train',
  target: targetRun,
  input: input('The run to claim, and the name of the runner.', (t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    worker: workerName(t, 'runner'),
    hostedCallId: t.string({
      ...rule(z.string().min(1).max(256)),
      description: 'For a hosted function: id of the call that started it.',
    }),
    resumeStep: t.field({
      type: 'SafeInt',
      ...rule(z.int().min(0)),
      description: 'For a re-claim: the published step at which the template resumes; later metrics are dropped.',
    }),
  })),
  verb: claimRun,
})

mutation('claimNextRun', {
  type: RunType,
  nullable: true,
  payload: { name: 'run', description: 'The claimed run; null if none became available in time.' },
  description: 'Claims the oldest queued worker run that the caller may claim; null if none becomes available in time.',
  scope: 'key:train',
  input: input('The name of the runner, and how long to wait.', (t) => ({
    ...claimNextFields(t, 'runner', 'runs'),
  })),
  verb: claimNextRun,
})

mutation('cancelRun', {
  type: RunType,
  payload: { name: 'run', description: 'The run after the change.' },
  description:
    'Cancels a queued run at once; asks a running run to stop, which its runner sees in the answer to its next ' +
    'report. The hub ends a hosted run that does not stop within a minute. Idempotent. 409 if the run has ended, ' +
    '501 for a run on a hosted backend that this deployment no longer uses.',
  scope: 'key:write',
  target: targetRun,
  input: input('The run to cancel.', (t) => ({ runId: t.id({ required: true, description: 'Id of the run.' }) })),
  verb: cancelRun,
})

const DeletedRun = builder.objectRef<{ id: string }>('DeletedRun').implement({
  description: 'A deleted run.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'Its id.' }) }),
})

mutation('deleteRun', {
  type: DeletedRun,
  description:
    'Deletes a run that has ended, with its log, metrics and artifacts. 409 while it is queued or running or has ' +
    'forks; 403 for agent keys. Its cost stays in the ledger, and its GPU hours still count against the daily ' +
    'quota.',
  scope: 'key:write',
  target: targetRun,
  input: input('The run to delete.', (t) => ({ runId: t.id({ required: true, description: 'Id of the run.' }) })),
  verb: deleteRun,
})
