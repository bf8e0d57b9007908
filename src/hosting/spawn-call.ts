/** Spawning of recorded calls: right after their transaction, and again where that hub did not come to it. */
import type { Deps } from '../operation/context.ts'
import { type CallToSpawn, type HostedCall, SpawnLater, SpawnRefused } from './backend.ts'
import { failJob } from './fail-job.ts'
import type { HostedKind } from './hosted-kind.ts'
import { MAX_TRIES, putOff, recordSpawned, type TakenCall, takeDue } from './outbox.ts'

type SpawnDeps = Pick<Deps, 'config' | 'db' | 'events' | 'hosted' | 'log' | 'queue' | 'tokenSeal'>

/**
 * Spawns a call that room is reserved for; false if it was not spawned. Then its job has failed, or a later sweep tries
 * the same call again. What a lost answer may have left in the backend is ended by that sweep too.
 */
export async function spawnReserved(
  deps: SpawnDeps,
  kind: HostedKind,
  call: CallToSpawn,
  tries: number,
): Promise<boolean> {
  try {
    await deps.hosted.spawn(call)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (error instanceof SpawnRefused || tries >= MAX_TRIES) {
      await failJob({ deps, kind, jobId: call.jobId, callId: call.callId, reason })
    } else {
      deps.log.warn({ job: call.jobId, call: call.callId, reason }, 'a hosted call was not spawned and will be retried')
      await putOff(deps.db, call.callId, tries, error instanceof SpawnLater ? error.afterSeconds : null)
    }
    return false
  }
  // Its job ended meanwhile: the sweep would find the call, only later.
  if (!(await recordSpawned(deps.db, call.callId))) await deps.hosted.end(call.callId)
  return true
}

/** Spawns a pending call whose hub died before it did, or whose last attempt failed. */
export async function recoverCall(deps: SpawnDeps, kind: HostedKind, call: HostedCall): Promise<void> {
  const { callId, jobId } = call
  const room = await deps.hosted.reserve({ callId, jobId })
  if (room === 'full') return
  if (room === 'spawned') return void (await recordSpawned(deps.db, callId))
  let isSpawned = false
  try {
    const taken = await takeDue(deps.db, callId)
    if (taken === null) return
    const token = openToken(deps, taken)
    if (token === null) {
      const reason = 'HUB_SECRET has changed since it was submitted, and its key cannot be read any more.'
      return await failJob({ deps, kind, jobId, callId, reason })
    }
    const { functionName, tier, maxSeconds } = taken
    const again = { callId, jobId, kind: kind.job.name, functionName, token, tier, maxSeconds }
    isSpawned = await spawnReserved(deps, kind, again, taken.tries)
  } finally {
    if (!isSpawned) await deps.hosted.release(callId)
  }
}

function openToken({ tokenSeal, log }: SpawnDeps, { callId, sealedToken }: TakenCall): string | null {
  try {
    return tokenSeal.open(sealedToken)
  } catch (error) {
    log.error({ err: error, call: callId }, 'the key of a hosted call cannot be read')
    return null
  }
}
