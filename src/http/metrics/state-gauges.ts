/**
 * What the database says of the whole deployment, whichever instance is asked. One statement reads what is in progress,
 * from partial indexes that hold nothing else; one reads sums, from one row an account and the month's part of the
 * ledger.
 */
import { column, columns, type RowOf } from '../../store/columns.ts'
import { isWorkedOn } from '../../store/failed-queue.ts'
import { statement } from '../../store/statement.ts'

/** A gauge and the SQL of its values: `labels` (`text[]`, in the order of the names) and `value`. */
interface StateGauge {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  readonly sql: string
}

const valueColumns = columns({
  metric: column.text('metric'),
  labels: column.texts('labels'),
  value: column.float8('value'),
})

export type StateValue = RowOf<typeof valueColumns>

/** More jobs of one queue are not counted: each costs a scrape an entry of an index. */
export const MOST_COUNTED = 10_000

/** A running endpoint reports every few seconds; one that has not for this long is silent. */
const SILENT_S = 120

const kinds = [
  { kind: 'run', table: 'runs', forAnyWorker: 'and not self_started' },
  { kind: 'robot_check', table: 'robot_checks', forAnyWorker: '' },
  { kind: 'endpoint', table: 'endpoints', forAnyWorker: '' },
] as const

const executors = ['worker', 'hosted'] as const

/**
 * Ids sort by time, so the least is the oldest. The count keeps the planner from looking for that along the primary
 * key, past every job that has ended. A run that waits for the process that started it needs no worker.
 */
const queued = kinds.flatMap(({ kind, table, forAnyWorker }) =>
  executors.map(
    (executor) => `select '${kind}' as kind, '${executor}' as executor, q.jobs, job.created_at
      from (select count(*) as jobs, min(id) as id from ${table}
        where status = 'queued' and executor = '${executor}' ${executor === 'worker' ? forAnyWorker : ''}) q
      left join ${table} job on job.id = q.id`,
  ),
)

const waitingQueues = `select q.name, counted.jobs, counted.since from pgboss.queue q cross join lateral (
    select count(*) as jobs, min(j.start_after) as since from (
      select start_after from pgboss.job where name = q.name and state < 'active' and not blocked
        and start_after <= now() limit ${MOST_COUNTED}
    ) j
  ) counted where ${isWorkedOn('q.name')}`

const seconds = (since: string) => `greatest(0, coalesce(extract(epoch from now() - ${since}), 0))`

const liveGauges: readonly StateGauge[] = [
  {
    name: 'hub_jobs_queued',
    help: 'Runs, checks and endpoints that wait for a worker or for their hosted call.',
    labels: ['kind', 'executor'],
    sql: 'select array[kind, executor], jobs from queued',
  },
  {
    name: 'hub_jobs_oldest_queued_seconds',
    help: 'Age of the oldest job that waits, from its creation; 0 if none waits.',
    labels: ['kind', 'executor'],
    sql: `select array[kind, executor], ${seconds('created_at')} from queued`,
  },
  {
    name: 'hub_jobs_running',
    help: 'Runs, checks and endpoints that are claimed and not over.',
    labels: ['kind'],
    sql: kinds
      .map(({ kind, table }) => `select array['${kind}'], count(*) from ${table} where status = 'running'`)
      .join(' union all '),
  },
  {
    name: 'hub_runs_overdue',
    help: 'Running runs whose lease is over and which no sweep has taken back yet: the sweep does so every 10 s.',
    labels: [],
    sql: `select array[]::text[], count(*) from runs where status = 'running' and lease_expires_at < now()`,
  },
  {
    name: 'hub_endpoints_silent',
    help: `Running endpoints whose server has not reported for ${SILENT_S} s.`,
    labels: [],
    sql: `select array[]::text[], count(*) from endpoints where status = 'running'
      and coalesce(heartbeat_at, claimed_at) < now() - interval '${SILENT_S} s'`,
  },
  {
    name: 'hub_endpoint_sessions_open',
    help: 'Open sessions of devices on endpoints.',
    labels: [],
    sql: `select array[]::text[], count(*) from endpoint_sessions where status = 'open'`,
  },
  {
    name: 'hub_hosted_calls',
    help: 'Hosted calls that have not ended: pending until they are spawned.',
    labels: ['state'],
    sql: `select array[known.state], count(c.id) from unnest(array['pending', 'spawned']) as known (state)
      left join hosted_calls c on c.state <> 'ended' and c.state = known.state::"HostedCallState" group by known.state`,
  },
  {
    name: 'hub_spend_holds_pending',
    help: 'Spend holds that wait for a person.',
    labels: [],
    sql: `select array[]::text[], count(*) from spend_holds where status = 'pending'`,
  },
  {
    name: 'hub_spend_holds_oldest_seconds',
    help: 'Age of the oldest spend hold that waits; 0 if none waits.',
    labels: [],
    sql: `select array[]::text[], ${seconds('min(created_at)')} from spend_holds where status = 'pending'`,
  },
  {
    name: 'hub_background_jobs_waiting',
    help: `Background jobs that are due and not started, by queue; at most ${MOST_COUNTED} are counted.`,
    labels: ['queue'],
    sql: 'select array[name], jobs from background',
  },
  {
    name: 'hub_background_jobs_behind_seconds',
    help: 'How long the background job that is due longest has waited, by queue; of the counted ones.',
    labels: ['queue'],
    sql: `select array[name], ${seconds('since')} from background`,
  },
]

const sumGauges: readonly StateGauge[] = [
  {
    name: 'hub_storage_bytes',
    help: 'Bytes that count in storage quotas, of all accounts: stored, and reserved for uploads that are in progress.',
    labels: ['state'],
    sql: `select array['stored'], stored from totals union all select array['reserved'], reserved from totals`,
  },
  {
    name: 'hub_uploads_pending',
    help: 'Uploads that were presigned and neither completed nor given up.',
    labels: [],
    sql: 'select array[]::text[], uploads from totals',
  },
  {
    name: 'hub_blobs_unverified',
    help: 'Stored files whose digest the hub has not verified yet.',
    labels: [],
    sql: `select array[]::text[], count(*) from blobs where sha256 is null and state = 'live'`,
  },
  {
    name: 'hub_spend_month_usd',
    help: 'What the calendar month (UTC) has cost so far, all accounts together.',
    labels: ['kind'],
    sql: `select array[known.kind], coalesce(sum(l.amount_usd), 0)
      from unnest(array['run', 'robot_check', 'endpoint_session']) as known (kind)
      left join ledger l on l.job_kind = known.kind and l.at >= date_trunc('month', now(), 'UTC') group by known.kind`,
  },
  {
    name: 'hub_spend_reserved_usd',
    help: 'The most that the priced jobs in progress can still cost, all accounts together.',
    labels: [],
    sql: 'select array[]::text[], coalesce(sum(amount_usd), 0) from spend_reservations',
  },
]

const reading = (part: string, shared: Readonly<Record<string, string>>, gauges: readonly StateGauge[]) => ({
  gauges,
  statement: statement({
    name: `metrics-${part}`,
    exact: 'aggregate',
    columns: valueColumns,
    text: `with ${Object.entries(shared)
      .map(([table, sql]) => `${table} as materialized (${sql})`)
      .join(', ')}
      select ${valueColumns.sql} from (${gauges
        .map(
          ({ name: metric, sql }) =>
            `select '${metric}' as metric, labels, value::float8 as value from (${sql}) as gauge (labels, value)`,
        )
        .join(' union all ')}) read`,
  }),
})

/**
 * Statements and their gauges, with how old an answer may be: scrapers and the curious together cost one read in that
 * time.
 */
export const stateReadings = [
  {
    ...reading('live', { queued: queued.join(' union all '), background: waitingQueues }, liveGauges),
    freshMs: 5_000,
  },
  {
    ...reading(
      'sums',
      {
        totals: `select coalesce(sum(storage_bytes), 0) - (select coalesce(sum(bytes), 0) from storage_spares) as stored,
           coalesce(sum(reserved_bytes), 0) as reserved,
          coalesce(sum(pending_uploads), 0) as uploads from accounts`,
      },
      sumGauges,
    ),
    freshMs: 60_000,
  },
] as const

export type StateReading = (typeof stateReadings)[number]
