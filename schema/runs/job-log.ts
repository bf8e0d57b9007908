/**
 * The log of a kind of job in the graph: its types and the options of a page. Each kind has types of its own name, all
 * made here.
 */
import { z } from 'zod'
import type { RequestContext } from '../../src/operation/context.ts'
import type { JobLog } from '../../src/work/log/job-log.ts'
import {
  DEFAULT_LOG_LINES,
  type LogLine,
  MAX_LOG_LINES,
  type ReadLogInput,
  readLog,
} from '../../src/work/log/read-log.ts'
import { BATCH_LINES } from '../../src/work/log/shared-logs.ts'
import type { LogEvent, LogEvents } from '../../src/work/log/subscribe-log.ts'
import { builder } from '../builder.ts'
import { Connection, forwardArgs, nodesOf } from '../connection.ts'
import { rule } from '../input-field.ts'
import type { ArgFields } from '../root-field.ts'
import { JobStatusEnum, LogStreamEnum } from './enums.ts'

/** `RunLogEvent`, `RunLogBatch` and `RunLogConnection` for the name `Run`; `noun` is the job in descriptions. */
export function jobLogTypes(name: 'Run' | 'RobotCheck', noun: string) {
  const Event = builder.objectRef<LogEvent>(`${name}LogEvent`).implement({
    description: 'A log line.',
    fields: (t) => ({
      ts: t.expose('ts', { type: 'DateTime', description: 'When the hub received the chunk in which the line ends.' }),
      stream: t.expose('stream', { type: LogStreamEnum, description: 'Source of the line.' }),
      line: t.exposeString('line', { description: 'Text without the line break.' }),
    }),
  })
  const Batch = builder.objectRef<LogEvents>(`${name}LogBatch`).implement({
    description: 'A batch of log lines.',
    fields: (t) => ({
      events: t.expose('events', { most: BATCH_LINES, type: [Event], description: 'Lines in order.' }),
      cursor: t.exposeString('cursor', { description: batchCursor }),
      status: t.expose('status', { type: JobStatusEnum, nullable: true, description: batchStatus(noun) }),
    }),
  })
  const Page = builder.connectionObject(
    {
      type: Event,
      name: `${name}LogConnection`,
      description: 'A page of the lines of a log, oldest first.',
      fields: (connection) => ({
        nodes: connection.field({ type: [Event], description: 'The lines.', resolve: nodesOf<LogLine> }),
      }),
    },
    { name: `${name}LogEdge`, description: 'A line and its cursor.' },
  )
  return { Batch, Page }
}

export const batchCursor = 'Cursor of the end of this batch, for `after` when resuming.'
export const batchStatus = (noun: string) => `Final status of the ${noun}, in the last batch; null in all others.`

const afterText = z.string().max(64)

export const resumeAfter = (t: ArgFields, description: string) => t.string({ ...rule(afterText), description })
export const tailOf = (t: ArgFields, description: string) => t.int({ ...rule(z.int().min(0)), description })
export const stripAnsiOf = (t: ArgFields) =>
  t.boolean({ defaultValue: false, description: 'Remove ANSI escape sequences from every line.' })

/** Options of a page of a log. */
/** `tail` says where the log begins, not how much of it comes. */
export const logPageSize = { page: DEFAULT_LOG_LINES, sizedBy: ['first'] } as const

export const logPageArgs = (t: ArgFields) => ({
  first: t.int({
    description: `Number of lines: 1 to ${MAX_LOG_LINES}, ${DEFAULT_LOG_LINES} by default. A page may be shorter: it ends after 1 MiB of text or 100 chunks.`,
  }),
  after: resumeAfter(t, 'Cursor of a line, a page or a batch of the subscription, to continue after.'),
  tail: tailOf(t, 'Start this many lines before the end; ignored with `after`.'),
  stripAnsi: stripAnsiOf(t),
})

/** A page of the log as a connection; null where the caller sees no such job. */
export async function logPage(
  ctx: RequestContext,
  log: JobLog,
  jobId: string,
  options: ReadLogInput,
): Promise<Connection<LogLine> | null> {
  const { first, after } = forwardArgs(options, MAX_LOG_LINES)
  const page = await readLog(ctx, log, jobId, { ...options, first, after })
  return page && new Connection(page, after !== null)
}
