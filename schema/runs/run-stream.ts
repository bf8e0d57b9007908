/** Live log and metrics of a run, from the same source as `GET /v1/runs/{run_id}/logs`. */
import { runLog } from '../../src/runs/log/run-log.ts'
import { changedRuns } from '../../src/runs/read/list-runs.ts'
import { watchRun } from '../../src/runs/read/watch-run.ts'
import { type MetricEvents, subscribeLog, subscribeMetrics } from '../../src/work/log/subscribe-log.ts'
import { listUpdates } from '../accounts/list-updates.ts'
import { builder } from '../builder.ts'
import { args, byCursor, query, subscription } from '../root-field.ts'
import { JobStatusEnum } from './enums.ts'
import {
  batchCursor,
  batchStatus,
  jobLogTypes,
  logPage,
  logPageArgs,
  logPageSize,
  resumeAfter,
  stripAnsiOf,
  tailOf,
} from './job-log.ts'
import { RunType } from './run.ts'

const { Batch: RunLogBatch, Page: RunLogConnection } = jobLogTypes('Run', 'run')

const RunMetricBatch = builder.objectRef<MetricEvents>('RunMetricBatch').implement({
  description: 'A batch of metrics lines.',
  fields: (t) => ({
    events: t.field({
      most: 1000,
      type: ['JSON'],
      description: "The trainer's lines in order.",
      resolve: ({ events }) => [...events],
    }),
    cursor: t.exposeString('cursor', { description: batchCursor }),
    status: t.expose('status', { type: JobStatusEnum, nullable: true, description: batchStatus('run') }),
  }),
})

query('runLog', {
  ...logPageSize,
  type: RunLogConnection,
  nullable: true,
  description:
    'The current log of a run in pages; null if the run does not exist or is not visible to the caller. The ' +
    'subscription can resume from the cursor of a line.',
  scope: 'key:read',
  args: args((t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    ...logPageArgs(t),
  })),
  read: (ctx, { runId, ...options }) => logPage(ctx, runLog, runId, options),
})

subscription('runLog', {
  type: RunLogBatch,
  description:
    'The log of a run: existing lines, then new ones until the run has ended. A stream that ends without a ' +
    'status was cut off; resume from its last cursor.',
  scope: 'key:read',
  args: args((t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    follow: t.boolean({ defaultValue: true, description: 'False: end after the existing lines.' }),
    tail: tailOf(t, 'Only this many of the last existing lines.'),
    stripAnsi: stripAnsiOf(t),
    after: resumeAfter(t, 'Cursor to resume after; replaces `tail`.'),
  })),
  resume: byCursor,
  events: (ctx, { runId, ...options }) => subscribeLog(ctx, runLog, runId, options),
})

subscription('runMetrics', {
  type: RunMetricBatch,
  description: 'The metrics of a run: existing lines, then new ones until the run has ended.',
  scope: 'key:read',
  args: args((t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    after: resumeAfter(t, 'Cursor to resume after.'),
  })),
  resume: byCursor,
  events: (ctx, { runId, after }) => subscribeMetrics(ctx, runLog, runId, after ?? null),
})

subscription('runUpdated', {
  type: RunType,
  description:
    'The current run, then the run after each change, until it has ended or is no longer visible to the caller.',
  scope: 'key:read',
  args: args((t) => ({ runId: t.id({ required: true, description: 'Id of the run.' }) })),
  events: (ctx, { runId }) => watchRun(ctx, runId),
})

listUpdates('runsUpdated', { typeName: 'RunsUpdate', nouns: 'runs', node: RunType, list: changedRuns })
