/** Live state and log of a check. Contract, "Subscriptions". */
import { checkLog } from '../../src/checks/log/check-log.ts'
import { changedChecks } from '../../src/checks/read/list-checks.ts'
import { watchCheck } from '../../src/checks/read/watch-check.ts'
import { subscribeLog } from '../../src/work/log/subscribe-log.ts'
import { listUpdates } from '../accounts/list-updates.ts'
import { args, byCursor, query, subscription } from '../root-field.ts'
import { jobLogTypes, logPage, logPageArgs, logPageSize, resumeAfter } from '../runs/job-log.ts'
import { CheckType } from './check.ts'

const { Batch, Page } = jobLogTypes('RobotCheck', 'check')

query('robotCheckLog', {
  ...logPageSize,
  type: Page,
  nullable: true,
  description:
    'The current log of a check in pages; null if the check does not exist or is not visible to the caller. The ' +
    'subscription can resume from the cursor of a line.',
  scope: 'key:read',
  args: args((t) => ({ checkId: t.id({ required: true, description: 'Id of the check.' }), ...logPageArgs(t) })),
  read: (ctx, { checkId, ...options }) => logPage(ctx, checkLog, checkId, options),
})

subscription('robotCheckLog', {
  type: Batch,
  description:
    'The log of a check: existing lines, then new ones until the check has ended. A stream that ends without a ' +
    'status was cut off; resume from its last cursor.',
  scope: 'key:read',
  args: args((t) => ({
    checkId: t.id({ required: true, description: 'Id of the check.' }),
    after: resumeAfter(t, 'Cursor to resume after.'),
  })),
  resume: byCursor,
  events: (ctx, { checkId, after }) => subscribeLog(ctx, checkLog, checkId, { after: after ?? null }),
})

subscription('robotCheckUpdated', {
  type: CheckType,
  description:
    'The current check, then the check after each change, until it has ended or is no longer visible to the ' +
    'caller. Publishing comes after the end and is not an event.',
  scope: 'key:read',
  args: args((t) => ({ checkId: t.id({ required: true, description: 'Id of the check.' }) })),
  events: (ctx, { checkId }) => watchCheck(ctx, checkId),
})

listUpdates('checksUpdated', { typeName: 'ChecksUpdate', nouns: 'checks', node: CheckType, list: changedChecks })
