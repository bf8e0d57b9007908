/**
 * Dispatch of hosted runs: the template's function is started with the id of its call and a key of its own, which alone claims the run. Spec, run state table.
 * Started at least once: of two calls of one run, the hub knows one, and the other's claim is refused.
 */
import { randomBytes } from 'node:crypto'
import { mintJobKey } from '../../hosting/job-key.ts'
import { spawnHosted } from '../../hosting/spawn-hosted.ts'
import { audit, noViewer } from '../../operation/audit.ts'
import type { Deps } from '../../operation/context.ts'
import { newId } from '../../platform/ids.ts'
import type { Statement } from '../../store/db.ts'

export interface DispatchedRun {
  readonly id: string
  readonly ownerId: string
  readonly createdBy: string | null
  readonly template: string
  /** The model repo that it made before it was preempted. */
  readonly repoIds: readonly string[]
  readonly maxHours: number
}

/** Never dispatched, or put back by a lease sweep since. */
const waitsForCall = `(u.dispatched_at is null
        or exists (select 1 from run_attempts a where a.run_id = u.id and a.ended_at > u.dispatched_at))`

/**
 * The compare-and-set: a run that was claimed or canceled meanwhile is left alone. `$4`: one that has a call gets another, since the process that recorded it may
 * have died before it started anything.
 */
const takeCall: Statement<DispatchedRun> = {
  name: 'run-dispatch',
  text: `update runs u set hosted_call_id = $2, hosted_credential = $3, dispatched_at = now(), updated_at = now()
    where u.id = $1 and u.status = 'queued' and u.executor = 'hosted' and ($4::boolean or ${waitsForCall})
    returning id, owner_id as "ownerId", created_by as "createdBy", template, max_hours::float8 as "maxHours",
      to_json(array_remove(array[output_repo_id], null)) as "repoIds"`,
}

/** Nothing ran, so nothing is billed. A call that ever claimed its run is no longer the spawn's to fail: its lease is. */
const failCall: Statement<{ ownerId: string }> = {
  name: 'run-dispatch-failed',
  text: `update runs set status = 'failed', error = $3, cost_usd = 0, finished_at = now(), hosted_call_id = null, hosted_credential = null, dispatched_at = null,
      updated_at = now()
    where id = $1 and status = 'queued' and executor = 'hosted' and hosted_call_id = $2
      and not exists (select 1 from run_attempts a where a.run_id = $1 and a.claimed_at >= dispatched_at)
    returning owner_id as "ownerId"`,
}

/** Those that a job of their own will not start any more. */
const undispatched: Statement<{ id: string }> = {
  name: 'runs-undispatched',
  text: `select u.id from runs u where u.status = 'queued' and u.executor = 'hosted'
      and (u.dispatched_at is not null or u.created_at < now() - interval '1 minute') and ${waitsForCall}
    order by u.id limit 100`,
}

type DispatchDeps = Pick<Deps, 'config' | 'db' | 'events' | 'hosted' | 'log'>

/** Starts a call for a queued hosted run, now or when there is a place for it; a call that cannot be started leaves the run failed with the reason. */
export async function dispatchRun(deps: DispatchDeps, runId: string): Promise<void> {
  await dispatch(deps, runId, true)
}

/** Runs that no call is under way for, as after a preemption. */
export async function dispatchWaiting(deps: DispatchDeps): Promise<void> {
  for (const { id } of await deps.db.query(undispatched)) await dispatch(deps, id, false)
}

async function dispatch(deps: DispatchDeps, runId: string, anyway: boolean): Promise<void> {
  const place = deps.hosted.take()
  // Its job is done then, so no other worker has it.
  if (place === null) return deps.hosted.wait(runId, () => dispatch(deps, runId, false))
  const callId = `call_${randomBytes(16).toString('hex')}`
  let isStarted = false
  try {
    const run = await takeRun(deps, runId, callId, anyway)
    if (run === null) return
    deps.events.hint(runId)
    const onEnd = (reason: string) => failRun(deps, runId, callId, reason)
    try {
      await spawnHosted(deps, { kind: 'run', id: runId, callId, ...run }, place, onEnd)
      isStarted = true
    } catch (error) {
      await onEnd(error instanceof Error ? error.message : String(error))
    }
  } finally {
    if (!isStarted) await place.leave()
  }
}

async function takeRun(deps: DispatchDeps, runId: string, callId: string, anyway: boolean) {
  const keyId = newId('key')
  return deps.db.withTx(async (tx) => {
    const [run] = await tx.query(takeCall, [runId, callId, keyId, anyway])
    return run ? { name: run.template, token: await mintJobKey(tx, run, keyId) } : null
  })
}

async function failRun(deps: DispatchDeps, runId: string, callId: string, reason: string): Promise<void> {
  const error = `The hosted function could not be started: ${reason}`
  await deps.db.withTx(async (tx) => {
    const [run] = await tx.query(failCall, [runId, callId, error])
    if (!run) return
    const change = { before: { status: 'queued' }, after: { status: 'failed', error } }
    await audit(tx, noViewer, { action: 'run.dispatch', accountId: run.ownerId, targetId: runId, ...change })
    tx.afterCommit(() => deps.events.hint(runId))
  })
}
