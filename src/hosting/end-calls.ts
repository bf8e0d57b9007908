/**
 * Ends hosted processes with their jobs: the local hub ends a process whose job has ended, is queued for another call or is held by another call. Its
 * key is already revoked; this frees the machine. Contract, "max_hours".
 */
import type { Deps } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { memoizeByKey } from '../work/job-kind.ts'
import type { HostedKind } from './hosted-kind.ts'
import { signalGroup } from './process-group.ts'

/** Grace period for a function to exit after it reported the end of its job. */
const LEAVE_SECONDS = 60
/** Between SIGTERM and SIGKILL. */
const KILL_AFTER_MS = 20_000

const callColumn = columns({ callId: column<string>('given.call') })

/** The calls that no longer have a job to execute. */
const overCalls = memoizeByKey(({ job, endReportedSql }: HostedKind) =>
  statement({
    name: `${job.name}-calls-over`,
    columns: callColumn,
    params: { callIds: param<readonly string[]>(), jobIds: param<readonly string[]>() },
    text: `select ${callColumn.sql} from unnest(:callIds::text[], :jobIds::text[]) as given (call, job)
        left join ${job.table} u on u.id = given.job
      where u.id is null or u.hosted_call_id is distinct from given.call
        ${job.lease ? `or u.status = 'queued' and ${job.lease.lostSinceDispatchSql('u')}` : ''}
        or u.finished_at is not null and (u.finished_at <= now() - interval '${LEAVE_SECONDS} s' or not (${endReportedSql}))`,
  }),
)

/** Sends SIGTERM to each process without a job, and SIGKILL after a grace period. Returns the number of processes signaled. */
export async function endCalls(
  { db, hosted, log }: Pick<Deps, 'db' | 'hosted' | 'log'>,
  kinds: readonly HostedKind[],
): Promise<number> {
  const calls = await hosted.calls()
  let signaled = 0
  for (const kind of kinds) {
    const own = calls.filter(({ jobId }) => jobId.startsWith(`${kind.job.idPrefix}_`))
    if (own.length === 0) continue
    const given = { callIds: own.map(({ callId }) => callId), jobIds: own.map(({ jobId }) => jobId) }
    const over = new Set((await db.query(overCalls(kind), given)).map(({ callId }) => callId))
    for (const { callId, jobId, mark } of own.filter((call) => over.has(call.callId))) {
      log.info({ job: jobId, call: callId }, 'ending a hosted process whose job has ended')
      const signal = (name: NodeJS.Signals) =>
        signalGroup(mark, name).catch((error: unknown) =>
          log.error({ err: error, job: jobId, call: callId }, 'a hosted process could not be ended'),
        )
      await signal('SIGTERM')
      setTimeout(() => void signal('SIGKILL'), KILL_AFTER_MS).unref()
      signaled += 1
    }
  }
  return signaled
}
