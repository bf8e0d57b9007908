/**
 * Work that a hub gives for a lease, and that another worker takes when the lease ends: nothing of it is kept on this
 * machine. Checks of data sets and films of episodes are such work.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { failureLine, type HubClient, ProblemError } from '@hub/client/internal'
import type { CheckOutcome } from './serve-check.ts'

/** What does such work. */
export interface LeasedWorker {
  /** Retries for as long as the worker lives. */
  readonly client: HubClient
  readonly name: string
  readonly owner: string | null
  /** Stop after one piece of work. */
  readonly once: boolean
  /** Ends the worker: what is in progress goes to another one when its lease ends. */
  readonly stop: AbortSignal
  readonly logLine: (line: string) => void
  readonly ended: (outcome: CheckOutcome) => void
  /** Between signs of life; the hub gives a lease of two minutes. */
  readonly beatMs?: number
  /** The hub's maximum is 30. */
  readonly waitS?: number
}

const BEAT_MS = 15_000
const WAIT_S = 30

/** One kind of work. */
export interface LeasedKind<Claimed> {
  claim(body: { worker: string; wait_s: number; owner: string | null }): Promise<Claimed | null>
  /** In lines of the log: `data set ada/cube`. */
  readonly nameOf: (claimed: Claimed) => string
  /** What the outcome is about. */
  readonly idOf: (claimed: Claimed) => string
  /** Says that it goes on. */
  beat(claimed: Claimed): Promise<unknown>
  /** Does it, and reports that it succeeded; rejects where it cannot. */
  work(claimed: Claimed, signal: AbortSignal): Promise<void>
  fail(claimed: Claimed, why: string): Promise<unknown>
}

/** Works until `stop` aborts, or with `once` until one piece of work has ended. Rejects once the client gives up. */
export async function workOnLeases<Claimed>(worker: LeasedWorker, kind: LeasedKind<Claimed>): Promise<void> {
  const { name, owner, stop, once, logLine, ended, waitS = WAIT_S } = worker
  while (!stop.aborted) {
    const startedMs = performance.now()
    const claimed = await kind.claim({ worker: name, wait_s: waitS, owner }).catch((error: unknown) => {
      if (stop.aborted) return null
      throw error
    })
    if (claimed) {
      logLine(`${kind.nameOf(claimed)}: claimed`)
      const outcome = await served(worker, kind, claimed)
      if (outcome) ended(outcome)
      if (once) return
    } else if (performance.now() - startedMs < 1000) {
      // Avoids a busy loop if the hub answers without waiting.
      await delay(1000, undefined, { signal: stop }).catch(() => {})
    }
  }
}

/** Null where the worker was stopped. */
async function served<Claimed>(
  { client, stop, logLine, beatMs = BEAT_MS }: LeasedWorker,
  kind: LeasedKind<Claimed>,
  claimed: Claimed,
): Promise<CheckOutcome | null> {
  const lost = new AbortController()
  const beats = setInterval(() => {
    kind.beat(claimed).catch((error: unknown) => {
      if (isLost(error)) lost.abort(error)
      else if (!client.signal.aborted) logLine(`${kind.nameOf(claimed)}: a report is delayed: ${failureLine(error)}`)
    })
  }, beatMs)
  const outcome = (status: CheckOutcome['status'], error: string | null) => ({
    ...{ check: kind.idOf(claimed), status, error },
  })
  try {
    await kind.work(claimed, AbortSignal.any([stop, lost.signal, client.signal]))
    return outcome('succeeded', null)
  } catch (error) {
    if (stop.aborted) return null
    if (client.signal.aborted) throw error
    if (lost.signal.aborted || isLost(error)) return outcome('lost', failureLine(lost.signal.reason ?? error))
    // A cut may leave half of a character.
    const why = failureLine(error).slice(0, 4000).toWellFormed()
    await kind.fail(claimed, why).catch((refused: unknown) => {
      if (!(refused instanceof ProblemError)) throw refused
      // Its lease ends, and another worker has it: this one goes on with other work.
      if (!isLost(refused)) logLine(`${kind.nameOf(claimed)}: the failure was not kept: ${failureLine(refused)}`)
    })
    return outcome('failed', why)
  } finally {
    clearInterval(beats)
  }
}

/** Another worker has it, or its repo is gone. */
const isLost = (error: unknown) => error instanceof ProblemError && [401, 403, 404, 409].includes(error.status)
