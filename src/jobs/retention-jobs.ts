/** Jobs that delete what the operator does not keep for good. */
import { z } from 'zod'
import type { Deps } from '../operation/context.ts'
import type { JobDefinition } from '../store/queue.ts'
import { dropOldAuditEntries } from './audit-retention.ts'
import { define } from './define-job.ts'
import { dropOldLogs, purgeDroppedLogs } from './log-retention.ts'

const logRetention = define({
  name: 'log-retention',
  input: z.object({}),
  // What is due has ended days ago, so it runs less often.
  cron: '43 * * * *',
  // The first pass after LOG_RETENTION_S is set may find the logs of years; the next one goes on where this one ends.
  expireSeconds: 3600,
  retryLimit: 0,
  concurrency: 1,
  async handler(_input, { deps, signal }) {
    await purgeDroppedLogs(deps, signal)
    await dropOldLogs(deps, signal)
  },
})

const auditRetention = define({
  name: 'audit-retention',
  input: z.object({}),
  cron: '53 * * * *',
  expireSeconds: 3600,
  retryLimit: 0,
  concurrency: 1,
  handler: (_input, { deps, signal }) => dropOldAuditEntries(deps, signal),
})

export const retentionJobs: readonly JobDefinition<Deps>[] = [logRetention, auditRetention]
