/** The policy server: finds an endpoint that it can serve, and serves it to its end. */
import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { failureLine, LocalError, ProblemError } from '@hub/client/internal'
import { dropLock, takeLock } from '@hub/runner/worker/lock'
import { type Outcome, prepare, type ServerOptions, serveEndpoint, tellEnding } from './serve-endpoint.ts'
import type { ServedEndpoint } from './served-endpoint.ts'
import { journalFile, lockOf, unfinishedEndpoints } from './server-journal.ts'

/** Between two looks for queued endpoints. */
const LOOK_MS = 3_000

/**
 * Serves the named endpoint, or with null the oldest queued one that it can serve. What an earlier process of the same
 * work folder left goes first. Null if `stop` aborted before there was one. Rejects with a `LocalError` if the named
 * one cannot be served here, and with the client's errors.
 */
export async function servePolicy(options: ServerOptions, named: string | null): Promise<Outcome | null> {
  for (const id of await unfinishedEndpoints(options.workDir, options.claimer)) {
    if (named !== null && id !== named) continue
    const outcome = await locked(options, id, () => goOn(options, id))
    if (outcome) return outcome
  }
  if (named === null) return await serveAny(options)
  const endpoint = await options.hub.get(named)
  if (endpoint.status !== 'queued')
    throw new LocalError(`${named} is ${endpoint.status}; only a queued endpoint can be claimed.`)
  const outcome = await locked(options, named, () => serve(options, endpoint))
  if (!outcome) throw new LocalError(`Another process of this work folder serves ${named}.`)
  return outcome
}

/** Null for one that the hub has ended meanwhile. */
async function goOn(options: ServerOptions, id: string): Promise<Outcome | null> {
  const { hub, workDir, logLine } = options
  try {
    const told = await tellEnding(options, id)
    if (told) return told
    const endpoint = await hub.get(id)
    if (['queued', 'running'].includes(endpoint.status)) return await serve(options, endpoint)
    logLine(`${id} has ended while no server reported: ${endpoint.error ?? endpoint.status}`)
  } catch (error) {
    if (!(error instanceof ProblemError) || ![404, 409].includes(error.status)) throw error
    logLine(`${id} is no longer this server's: ${failureLine(error)}`)
  }
  await rm(journalFile(workDir, id), { force: true })
  return null
}

/** Null if another process has it. */
async function locked(
  { workDir }: ServerOptions,
  endpoint: string,
  work: () => Promise<Outcome | null>,
): Promise<Outcome | null> {
  const lock = lockOf(workDir, endpoint)
  if (!(await takeLock(lock))) return null
  try {
    return await work()
  } finally {
    await dropLock(lock)
  }
}

async function serve(options: ServerOptions, endpoint: ServedEndpoint): Promise<Outcome> {
  const prepared = await prepare(options, endpoint)
  try {
    return await serveEndpoint(options, prepared)
  } finally {
    await prepared.model.close()
  }
}

/** One that cannot be served here, or that another server takes first, is passed over. */
async function serveAny(options: ServerOptions): Promise<Outcome | null> {
  const { hub, stop, logLine } = options
  const passed = new Set<string>()
  logLine('waits for an endpoint')
  while (!stop.aborted) {
    const queued: ServedEndpoint[] = []
    for await (const page of hub.queued()) queued.push(...page)
    for (const endpoint of queued.reverse()) {
      if (stop.aborted) return null
      if (passed.has(endpoint.id)) continue
      try {
        const outcome = await locked(options, endpoint.id, () => serve(options, endpoint))
        if (outcome) return outcome
      } catch (error) {
        if (!isOthers(error)) throw error
        logLine(`${endpoint.id} is passed over: ${failureLine(error)}`)
      }
      passed.add(endpoint.id)
    }
    await delay(LOOK_MS, undefined, { signal: stop }).catch(() => {})
  }
  return null
}

/** What is wrong with this endpoint and not with this server. */
const isOthers = (error: unknown) =>
  error instanceof LocalError || (error instanceof ProblemError && [403, 404, 409, 422].includes(error.status))
