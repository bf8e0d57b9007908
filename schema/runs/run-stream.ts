/** Live log and metrics of a run, from the same source as `GET /v1/runs/{run_id}/logs`. */
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
  description: 'A log line.',
  fields: (t) => ({
    ts: t.expose('ts', { type: 'DateTime', description: 'When the hub received its chunk.' }),
    stream: t.expose('stream', { type: LogStreamEnum, description: 'Source of the line.' }),
    line: t.exposeString('line', { description: 'Text without the line break.' }),
  }),
})

const cursor = 'Cursor of the end of this batch, for `after` when resuming.'
const status = 'Final status of the run, in the last batch; null in all others.'

const RunLogBatch = builder.objectRef<LogEvents>('RunLogBatch').implement({
  description: 'A batch of log lines.',
  fields: (t) => ({
    events: t.expose('events', { type: [RunLogEvent], description: 'Lines in order.' }),
    cursor: t.exposeString('cursor', { description: cursor }),
    status: t.expose('status', { type: JobStatusEnum, nullable: true, description: status }),
  }),
})

const RunMetricBatch = builder.objectRef<MetricEvents>('RunMetricBatch').implement({
  description: 'A batch of metrics lines.',
  fields: (t) => ({
    events: t.field({
      type: ['JSON'],
      description: "The trainer's lines in order.",
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
    'The current log of a run in pages; null if the run does not exist or is not visible to the caller. The subscription can resume from the cursor of a line.',
  scope: 'key:read',
  args: args((t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    first: t.int({
      description: `Number of lines: 1 to ${MAX_LOG_LINES}, ${DEFAULT_LOG_LINES} by default. A page may be shorter: it ends after 1 MiB of text or 100 chunks.`,
    }),
    after: t.string({
      ...rule(afterText),
      description: 'Cursor of a line, a page or a batch of the subscription, to continue after.',
    }),
    tail: t.int({
      ...rule(z.int().min(0)),
      description: 'Start this many lines before the end; ignored with `after`.',
    }),
    stripAnsi: t.boolean({ defaultValue: false, description: 'Remove ANSI escape sequences from every line.' }),
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
    'The log of a run: existing lines, then new ones until the run has ended. A stream that ends without a status was cut off; resume from its last cursor.',
  scope: 'key:read',
  args: args((t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    follow: t.boolean({ defaultValue: true, description: 'False: end after the existing lines.' }),
    tail: t.int({ ...rule(z.int().min(0)), description: 'Only this many of the last existing lines.' }),
    stripAnsi: t.boolean({ defaultValue: false, description: 'Remove ANSI escape sequences from every line.' }),
    after: t.string({ ...rule(afterText), description: 'Cursor to resume after; replaces `tail`.' }),
  })),
  events: (ctx, { runId, ...options }) => subscribeLog(ctx, runLog, runId, options),
})

subscription('runMetrics', {
  type: RunMetricBatch,
  description: 'The metrics of a run: existing lines, then new ones until the run has ended.',
  scope: 'key:read',
  args: args((t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    after: t.string({ ...rule(afterText), description: 'Cursor to resume after.' }),
  })),
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
