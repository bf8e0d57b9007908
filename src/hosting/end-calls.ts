/**
 * Hosted processes end with their runs: one whose run is over, waits for another call or is that call's by now, is ended by the hub that it runs beside. Its key is dead by then;
 * this gives back the machine. Contract, "max_hours".
 */
import type { Deps } from '../operation/context.ts'
import type { Statement } from '../store/db.ts'
import { processMark } from '../store/start-lock.ts'

/** A function that reported the end of its run by itself leaves by itself, if it does so in this time. */
const LEAVE_SECONDS = 60
/** Between SIGTERM and SIGKILL. */
const KILL_AFTER_MS = 20_000

/** Of these calls, beside the runs that they were made for, those that have nothing to do any more. */
const overCalls: Statement<{ callId: string }> = {
  name: 'hosted-calls-over',
  text: `select given.call as "callId" from unnest($1::text[], $2::text[]) as given (call, run) left join runs u on u.id = given.run
    where u.id is null or u.hosted_call_id is distinct from given.call
      or u.status = 'queued' and exists (select 1 from run_attempts a where a.run_id = u.id and a.ended_at > u.dispatched_at)
      or u.finished_at is not null and (u.finished_at <= now() - interval '${LEAVE_SECONDS} s'
        or not exists (select 1 from run_attempts a where a.run_id = u.id and a.attempt = u.attempt and a."end" = 'reported'))`,
}

/** Asks each process that is over to end, and ends it where it has not after a while. Returns how many were asked. */
export async function endCalls({ db, hosted, log }: Pick<Deps, 'db' | 'hosted' | 'log'>): Promise<number> {
  const calls = await hosted.calls()
  if (calls.length === 0) return 0
  const over = await db.query(overCalls, [calls.map(({ callId }) => callId), calls.map(({ jobId }) => jobId)])
  const ids = new Set(over.map(({ callId }) => callId))
  const asked = calls.filter(({ callId }) => ids.has(callId))
  for (const { callId, jobId, mark } of asked) {
    log.info({ job: jobId, call: callId }, 'a hosted process whose run is over is ended')
    await signal(mark, 'SIGTERM')
    setTimeout(() => void signal(mark, 'SIGKILL'), KILL_AFTER_MS).unref()
  }
  return asked.length
}

/** To its process group, if it is still the process that the mark names. */
async function signal(mark: string, name: NodeJS.Signals): Promise<void> {
  const pid = Number.parseInt(mark, 10)
  // Before it has a process, a call is noted under the hub's own.
  if (!(pid > 1) || pid === process.pid || (await processMark(pid)) !== mark) return
  try {
    process.kill(-pid, name)
  } catch {
    // It ended meanwhile.
  }
}
