/** Background jobs that have failed for good. Contract, "The operator". */
import { type FailedJob, listFailedJobs, MAX_FAILED_JOBS, retryFailedJob } from '../../src/deployment/failed-jobs.ts'
import { builder } from '../builder.ts'
import { input, mutation, query } from '../root-field.ts'

const FailedJobType = builder.objectRef<FailedJob>('FailedJob').implement({
  description: 'A background job of the hub that failed and is not tried again.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id in the list of failed jobs, a UUID.' }),
    queue: t.exposeString('queue', { description: 'Kind of the job, such as `blob-verify`.' }),
    failedAt: t.expose('failedAt', { type: 'DateTime', description: 'When its last attempt failed.' }),
    sentAt: t.expose('sentAt', { type: 'DateTime', nullable: true, description: 'When it was sent.' }),
    attempts: t.exposeInt('attempts', { description: 'How often it was tried.' }),
    error: t.exposeString('error', { description: 'The error of the last attempt, in one line.' }),
  }),
})

query('failedJobs', {
  type: [FailedJobType],
  most: MAX_FAILED_JOBS,
  description:
    'The newest 100 background jobs that failed for good in the last seven days, newest first. For the operator alone.',
  scope: 'session',
  read: listFailedJobs,
})

const RetriedJob = builder.objectRef<{ readonly id: string }>('RetriedJob').implement({
  description: 'Result of `retryFailedJob`.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'Id that the job had in the list.' }) }),
})

mutation('retryFailedJob', {
  type: RetriedJob,
  description: 'Sends a failed job again and takes it off the list. For the operator alone.',
  scope: 'session',
  input: input('The job.', (t) => ({ id: t.id({ required: true, description: 'Id of the failed job.' }) })),
  verb: retryFailedJob,
})
