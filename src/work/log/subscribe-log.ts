/** The sources of the subscriptions to a job's log and metrics. */

import { parseExact } from '@hub/formats/exact-json'
import type { RequestContext } from '../../operation/context.ts'
import { sharedEvent } from '../../operation/shared-event.ts'
import { invalid } from '../../platform/errors.ts'
import type { JobStatus } from '../job-state.ts'
import { type FollowOptions, followLog } from './follow-log.ts'
import type { JobLog } from './job-log.ts'
import type { EndBatch, FollowedBatch } from './log-batch.ts'
import { positionText, readPosition } from './position.ts'

export interface LogEvent {
  readonly ts: string
  readonly stream: 'stdout' | 'stderr'
  readonly line: string
}

interface Events<Event> {
  readonly events: readonly Event[]
  readonly cursor: string
  /** Status of the job in the last batch; null in all others. */
  readonly status: JobStatus | null
}

export type LogEvents = Events<LogEvent>
export type MetricEvents = Events<unknown>

/** The arguments of a subscription to a log. */
export interface SubscribeLogInput {
  readonly follow?: boolean | null
  readonly tail?: number | null
  readonly stripAnsi?: boolean | null
  readonly after?: string | null
}

/**
 * The log of a job in batches; the last one has the job's status. Errors: 401, 404, 422 for a cursor of another job.
 */
export function subscribeLog(
  ctx: RequestContext,
  log: JobLog,
  jobId: string,
  { follow, tail = null, stripAnsi, after = null }: SubscribeLogInput,
): Promise<AsyncGenerator<LogEvents>> {
  const options = { follow: follow ?? true, tail, stripAnsi: stripAnsi ?? false, log: true, metrics: false }
  return subscribe(ctx, log, jobId, { ...options, after, eventsOf: logEventsOf })
}

/** The metrics of a job in batches, otherwise as `subscribeLog`. */
export function subscribeMetrics(
  ctx: RequestContext,
  log: JobLog,
  jobId: string,
  after: string | null,
): Promise<AsyncGenerator<MetricEvents>> {
  const options = { follow: true, tail: null, stripAnsi: false, log: false, metrics: true }
  return subscribe(ctx, log, jobId, { ...options, after, eventsOf: metricEventsOf })
}

interface Subscribed<Event> extends Omit<FollowOptions, 'resume'> {
  readonly after: string | null
  readonly eventsOf: (batch: FollowedBatch) => readonly Event[]
}

/** Fails before the first event: a started stream cannot report an error. */
async function subscribe<Event>(
  ctx: RequestContext,
  log: JobLog,
  jobId: string,
  { after, eventsOf, ...options }: Subscribed<Event>,
): Promise<AsyncGenerator<Events<Event>>> {
  const position = after === null ? null : readPosition(after)
  if (after !== null && !position) throw invalid('validation.cursor', 'The cursor is malformed.', ['after'])
  const resume = position && { position, loc: ['after'] }
  return inEvents(await followLog(ctx, log, jobId, { ...options, resume }), eventsOf)
}

async function* inEvents<Event>(
  batches: AsyncGenerator<FollowedBatch, void>,
  eventsOf: (batch: FollowedBatch) => readonly Event[],
): AsyncGenerator<Events<Event>> {
  for await (const batch of batches) yield batch.kind === 'end' ? endOf(batch) : sharedOf(batch, eventsOf)
}

const endOf = ({ after, status }: EndBatch) => ({ events: [], cursor: positionText(after), status })

/** The event of each batch, created once for all subscribers that get the batch: lines of a log, or of metrics. */
const events = new WeakMap<FollowedBatch, Events<unknown>>()

function sharedOf<Event>(batch: FollowedBatch, eventsOf: (batch: FollowedBatch) => readonly Event[]): Events<Event> {
  const known = events.get(batch) as Events<Event> | undefined
  if (known) return known
  const made = sharedEvent({ events: eventsOf(batch), cursor: positionText(batch.after), status: null })
  events.set(batch, made)
  return made
}

function logEventsOf(batch: FollowedBatch): readonly LogEvent[] {
  if (batch.kind !== 'log') return []
  const { at: ts, stream, lines } = batch
  return lines.map((line) => ({ ts, stream, line }))
}

function metricEventsOf(batch: FollowedBatch): readonly unknown[] {
  return batch.kind === 'metric' ? batch.rows.map(({ line }) => parseExact(line)) : []
}
