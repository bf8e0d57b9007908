/**
 * The outbox of hosted calls: a row is written in the transaction that gives its job the call, and says what still has
 * to be done about it. A crash between that commit and the spawn loses nothing.
 */
import { column, columns } from '../store/columns.ts'
import type { Querier, Tx } from '../store/db.ts'
import { insertInto, sql } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { memoizeByKey } from '../work/job-kind.ts'
import type { HostedKind } from './hosted-kind.ts'

/** The hub that took a pending call has this long to spawn it; then any hub that can reach it takes it. */
export const TAKEN_SECONDS = 60
/** After so many attempts, about 20 minutes, the job fails. */
export const MAX_TRIES = 10
const FIRST_WAIT_SECONDS = 2
const MAX_WAIT_SECONDS = 300

interface NewCall {
  readonly id: string
  readonly jobKind: string
  readonly jobId: string
  readonly backend: string
  readonly place: string | null
  readonly functionName: string
  readonly tier: string | null
  readonly maxSeconds: number | null
  readonly sealedToken: Buffer
}

const hostedCallRow = insertInto('hosted_calls', {
  id: param.text(),
  jobKind: param.text(),
  jobId: param.text(),
  backend: param.text(),
  place: param.text.orNull(),
  functionName: param.text(),
  tier: param.text.orNull(),
  maxSeconds: param.int4.orNull(),
  sealedToken: param.bytea(),
  state: 'pending',
  tries: 1,
  nextTryAt: sql(`now() + interval '${TAKEN_SECONDS} s'`),
})

const insertCall = statement({
  name: 'hosted-call-insert',
  params: hostedCallRow.params,
  text: hostedCallRow.sql,
})

/** Records a call that the writing hub is about to spawn. */
export async function insertPending(tx: Tx, call: NewCall): Promise<void> {
  await tx.query(insertCall, call)
}

const takenColumns = columns({
  callId: column.text('c.id'),
  jobId: column.text('c.job_id'),
  functionName: column.text('c.function_name'),
  tier: column.text.orNull('c.tier'),
  maxSeconds: column.int4.orNull('c.max_seconds'),
  sealedToken: column.bytea('c.sealed_token'),
  tries: column.int4('c.tries'),
})

const takePending = statement({
  name: 'hosted-call-take',
  columns: takenColumns,
  params: { callId: param.text() },
  text: `update hosted_calls c set tries = tries + 1, next_try_at = now() + interval '${TAKEN_SECONDS} s'
    where c.id = :callId and c.state = 'pending' and c.next_try_at <= now() returning ${takenColumns.sql}`,
})

export interface TakenCall {
  readonly callId: string
  readonly jobId: string
  readonly functionName: string
  readonly tier: string | null
  readonly maxSeconds: number | null
  readonly sealedToken: Buffer
  /** This attempt included. */
  readonly tries: number
}

/** Takes a pending call that is due; null if another hub has it, or it is pending no longer. */
export async function takeDue(db: Querier, callId: string): Promise<TakenCall | null> {
  const [taken] = await db.query(takePending, { callId })
  return taken ?? null
}

const idColumn = columns({ id: column.text('id') })

const markSpawned = statement({
  name: 'hosted-call-spawned',
  columns: idColumn,
  params: { callId: param.text() },
  text: `update hosted_calls set state = 'spawned', sealed_token = null, spawned_at = coalesce(spawned_at, now())
    where id = :callId and state <> 'ended' returning ${idColumn.sql}`,
})

/**
 * False for a call that has ended meanwhile. Its key is forgotten: from now on only the backend has it. True also for
 * the slower of two hubs that spawned the call: both found the same one, and neither may end it.
 */
export async function recordSpawned(db: Querier, callId: string): Promise<boolean> {
  return (await db.query(markSpawned, { callId })).length > 0
}

const setTry = statement({
  name: 'hosted-call-put-off',
  params: { callId: param.text(), seconds: param.float8(), tries: param.int4() },
  text: `update hosted_calls set next_try_at = now() + make_interval(secs => :seconds::float8), tries = :tries
    where id = :callId and state = 'pending'`,
})

/** Leaves the call to a later attempt: after `seconds`, or by default twice as long after each. */
export async function putOff(db: Querier, callId: string, tries: number, seconds: number | null): Promise<void> {
  const doubled = FIRST_WAIT_SECONDS * 2 ** Math.max(tries - 1, 0)
  const wait = Math.min(seconds ?? doubled, MAX_WAIT_SECONDS)
  await db.query(setTry, { callId, tries, seconds: wait })
}

const markEnded = statement({
  name: 'hosted-call-ended',
  params: { callId: param.text() },
  text: `update hosted_calls set state = 'ended', sealed_token = null, ended_at = now()
    where id = :callId and state <> 'ended'`,
})

/** Nothing is left of the call. */
export async function recordEnded(db: Querier, callId: string): Promise<void> {
  await db.query(markEnded, { callId })
}

const markMissing = statement({
  name: 'hosted-calls-missing',
  params: { missing: param.texts(), seen: param.texts() },
  text: `update hosted_calls set missing_since = case when id = any(:missing::text[])
    then coalesce(missing_since, now()) end
    where id = any(:missing::text[] || :seen::text[])
      and (id = any(:missing::text[])) is distinct from (missing_since is not null)`,
})

/** Remembers since when the backend does not know the calls `missing`, and that it knows the calls `seen`. */
export async function recordMissing(db: Querier, missing: readonly string[], seen: readonly string[]): Promise<void> {
  if (missing.length + seen.length > 0) await db.query(markMissing, { missing, seen })
}

/** Grace period for a function to exit after it reported the end of its job. */
const LEAVE_SECONDS = 60
/**
 * A backend that does not know a call for this long has lost it. Longer than a cancel takes, which ends the call before
 * its job.
 */
const MISSING_SECONDS = 60

const liveColumns = columns({
  callId: column.text('c.id'),
  jobId: column.text('c.job_id'),
  state: column.text<'pending' | 'spawned'>('c.state::text'),
  isDue: column.bool('c.next_try_at <= now()'),
  isMissing: column.bool('c.missing_since is not null'),
  isLost: column.bool(`coalesce(c.missing_since <= now() - interval '${MISSING_SECONDS} s', false)`),
  isClaimed: column.bool(`coalesce(u.status = 'running', false)`),
})

export interface LiveCall {
  readonly callId: string
  readonly jobId: string
  readonly state: 'pending' | 'spawned'
  /** Of a pending call: the instance that spawned it last has had time enough. */
  readonly isDue: boolean
  readonly isMissing: boolean
  /** Missing for so long that it will not be found again. */
  readonly isLost: boolean
  readonly isClaimed: boolean
  /** It no longer has a job to execute. */
  readonly isOver: boolean
}

const PAGE = 200

const livePage = memoizeByKey(({ job, endReportedSql }: HostedKind) => {
  const page = liveColumns.with({
    isOver: column.bool(`u.id is null or u.hosted_call_id is distinct from c.id
      ${job.lease ? `or u.status = 'queued' and ${job.lease.lostSinceDispatchSql('u')}` : ''}
      or u.finished_at is not null and (u.finished_at <= now() - interval '${LEAVE_SECONDS} s' or not (${endReportedSql}))`),
  })
  return statement({
    name: `${job.name}-live-calls`,
    exact: 'aggregate',
    columns: page,
    params: { backend: param.text(), place: param.text.orNull(), after: param.text() },
    text: `select ${page.sql} from hosted_calls c left join ${job.table} u on u.id = c.job_id
      where c.state <> 'ended' and c.backend = :backend and c.job_kind = '${job.name}' and c.place is not distinct
        from :place and c.id > :after
      order by c.id limit ${PAGE}`,
  })
})

/** The calls of a kind that have not ended, of those that a backend can reach, in pages. */
export async function* liveCalls(
  db: Querier,
  kind: HostedKind,
  where: { readonly backend: string; readonly place: string | null },
): AsyncIterable<readonly LiveCall[]> {
  for (let after = ''; ; ) {
    const page = await db.query(livePage(kind), { ...where, after })
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = last.callId
  }
}
