/** What a check that is still queued waits for: said once, after a worker had the time to claim it. */
import { setTimeout as delay } from 'node:timers/promises'
import type { HubClient, RemoteCheck } from '@hub/client/internal'

/** A worker that waits for work claims a check within a fraction of this. */
export const CLAIMED_WITHIN_MS = 3000

/** A person who ended a check this recently may still be there. */
const RECENT_MS = 10 * 60_000

const MOST_NAMES = 3

/**
 * Waits as long as an idle worker needs to claim the check, then resolves to what it waits for; null if it waits no
 * more, or waits for the hub itself. Rejects with the signal's reason.
 */
export async function waitsFor(
  client: HubClient,
  { id, executor }: RemoteCheck,
  afterMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  if (executor !== 'worker') return null
  await delay(afterMs, undefined, { signal })
  const check = await client.checks.get(id)
  if (check.status !== 'queued') return null
  const [running, ended] = await Promise.all([
    newest(client, { status: 'running', executor }),
    newest(client, { executor }),
  ])
  const others = new Map([...running, ...ended].map((other) => [other.id, other]))
  return waitingText(check, [...others.values()])
}

async function newest(
  client: HubClient,
  filters: Parameters<HubClient['checks']['list']>[0],
): Promise<readonly RemoteCheck[]> {
  for await (const page of client.checks.list(filters)) return page
  return []
}

/** Of a queued worker check, beside others that its caller sees. Pure: times are those of the hub. */
function waitingText(check: RemoteCheck, others: readonly RemoteCheck[]): string {
  const theirs = others.filter((other) => other.id !== check.id && accountOf(other) === accountOf(check))
  const busy = theirs.filter(({ status, claimed_by: by }) => status === 'running' && by !== null)
  if (busy.length > 0) {
    const on = busy.length === 1 ? `on ${busy[0]?.id}` : `on ${busy.length} other checks`
    return `${check.id} waits for its turn: ${those(busy, 'is', 'are')} at work ${on}`
  }
  const since = Date.parse(check.created_at) - RECENT_MS
  const recent = theirs.filter(
    ({ finished_at: at, claimed_by: by }) => by !== null && at !== null && Date.parse(at) > since,
  )
  if (recent.length > 0)
    return `${check.id} waits for a worker: ${those(recent, 'was', 'were')} here in the last ten minutes; if none runs now, start one with: hub check-worker`
  return `${check.id} waits for a worker: start one with: hub check-worker`
}

/** The names of their workers, and the verb in the number of these. */
function those(checks: readonly RemoteCheck[], one: string, more: string): string {
  const all = [...new Set(checks.map(({ claimed_by: by }) => by ?? ''))]
  const shown = all.length > MOST_NAMES ? [...all.slice(0, MOST_NAMES), `${all.length - MOST_NAMES} more`] : all
  return `${shown.join(shown.length === 2 ? ' and ' : ', ')} ${shown.length === 1 ? one : more}`
}

/** Whose workers may claim it. */
const accountOf = ({ robot_repo: robot, model_repo: model }: RemoteCheck) => (robot ?? model)?.full_name.split('/')[0]
