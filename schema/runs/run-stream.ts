/** A run's log and metrics as they come, over the same source as `GET /v1/runs/{run_id}/logs`. */
import { z } from 'zod'
import { runLog } from '../../src/runs/log/run-log.ts'
import { watchRun } from '../../src/runs/read/watch-run.ts'
import { DEFAULT_LOG_LINES, type LogLine, MAX_LOG_LINES, readLog } from '../../src/work/log/read-log.ts'
import {
  type LogEvent,
  type LogEvents,
  type MetricEvents,
  subscribeLog,
  subscribeMetrics,
} from '../../src/work/log/subscribe-log.ts'
import { builder } from '../builder.ts'
import { Connection, forwardArgs, nodesOf } from '../connection.ts'
import { rule } from '../input-field.ts'
import { args, query, subscription } from '../root-field.ts'
import { JobStatusEnum, LogStreamEnum } from './enums.ts'
import { RunType } from './run.ts'

const RunLogEvent = builder.objectRef<LogEvent>('RunLogEvent').implement({
  description: 'A line of a log.',
  fields: (t) => ({
    ts: t.expose('ts', { type: 'DateTime', description: 'When its chunk came.' }),
    stream: t.expose('stream', { type: LogStreamEnum, description: 'Who wrote it.' }),
    line: t.exposeString('line', { description: 'Without its end.' }),
  }),
})

const cursor = 'Where this batch ends: `after` of a subscription that goes on from here.'
const status = "The run's status, in the last batch of all; null in every other."

const RunLogBatch = builder.objectRef<LogEvents>('RunLogBatch').implement({
  description: 'Lines that came together.',
  fields: (t) => ({
    events: t.expose('events', { type: [RunLogEvent], description: 'In their order.' }),
    cursor: t.exposeString('cursor', { description: cursor }),
    status: t.expose('status', { type: JobStatusEnum, nullable: true, description: status }),
  }),
})

const RunMetricBatch = builder.objectRef<MetricEvents>('RunMetricBatch').implement({
  description: 'Metrics lines that came together.',
  fields: (t) => ({
    events: t.field({
      type: ['JSON'],
      description: "The trainer's lines, in their order.",
      resolve: ({ events }) => [...events],
    }),
    cursor: t.exposeString('cursor', { description: cursor }),
    status: t.expose('status', { type: JobStatusEnum, nullable: true, description: status }),
  }),
})

const afterText = z.string().max(64)

const RunLogConnection = builder.connectionObject(
  {
    type: RunLogEvent,
    name: 'RunLogConnection',
    description: 'A page of the lines of a log, oldest first.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RunLogEvent], description: 'The lines.', resolve: nodesOf<LogLine> }),
    }),
  },
  { name: 'RunLogEdge', description: 'A line and its cursor.' },
)

query('runLog', {
  type: RunLogConnection,
  nullable: true,
  description:
    'The log of a run as it is now, in pages; null where the run does not exist or is not visible to the caller. The subscription goes on from the cursor of a line.',
  scope: 'key:read',
  args: args((t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    first: t.int({
      description: `How many lines: 1 to ${MAX_LOG_LINES}, ${DEFAULT_LOG_LINES} by default. A page may end earlier, behind 1 MiB of text or 100 chunks.`,
    }),
    after: t.string({
      ...rule(afterText),
      description: 'Cursor of the line before, of a page or of a batch of the subscription.',
    }),
    tail: t.int({ ...rule(z.int().min(0)), description: 'Begin with the last so many lines; not used with `after`.' }),
    stripAnsi: t.boolean({ defaultValue: false, description: 'Take ANSI escape sequences out of every line.' }),
  })),
  read: async (ctx, { runId, ...options }) => {
    const { first, after } = forwardArgs(options, MAX_LOG_LINES)
    const page = await readLog(ctx, runLog, runId, { ...options, first, after })
    return page && new Connection(page, after !== null)
  },
})

subscription('runLog', {
  type: RunLogBatch,
  description:
    'The log of a run: what there is, then what comes, until the run has ended. A stream that ends without a status was cut off; go on from its last cursor.',
  scope: 'key:read',
  args: args((t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    follow: t.boolean({ defaultValue: true, description: 'False: end with what there is now.' }),
    tail: t.int({ ...rule(z.int().min(0)), description: 'Only the last so many lines of what there is.' }),
    stripAnsi: t.boolean({ defaultValue: false, description: 'Take ANSI escape sequences out of every line.' }),
    after: t.string({ ...rule(afterText), description: 'A cursor, in the place of `tail`.' }),
  })),
  events: (ctx, { runId, ...options }) => subscribeLog(ctx, runLog, runId, options),
})

subscription('runMetrics', {
  type: RunMetricBatch,
  description: 'The metrics of a run: all there are, then what comes, until the run has ended.',
  scope: 'key:read',
  args: args((t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    after: t.string({ ...rule(afterText), description: 'A cursor.' }),
  })),
  events: (ctx, { runId, after }) => subscribeMetrics(ctx, runLog, runId, after ?? null),
})

subscription('runUpdated', {
  type: RunType,
  description: 'The run as it stands, and again after each change, until it has ended or is hidden from the caller.',
  scope: 'key:read',
  args: args((t) => ({ runId: t.id({ required: true, description: 'Id of the run.' }) })),
  events: (ctx, { runId }) => watchRun(ctx, runId),
})
