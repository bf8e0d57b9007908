/** A runner as another project would write one: plain HTTP, every report sent again until it is acknowledged. */
import { setTimeout as delay } from 'node:timers/promises'

/** Where the hub is at the moment; changes when it is started again. */
export interface HubPlace {
  url: string
}

/** The numbers that make a report safe to retry. */
export type Guard = 'numbers' | 'key' | 'both'

export interface RunnerOptions {
  readonly hub: HubPlace
  readonly token: string
  readonly runId: string
  readonly reports: number
  readonly guard: Guard
  /** From 0 to 1, the same for the same seed. */
  readonly random: () => number
  /** Called after each acknowledgement. */
  readonly onAcknowledged: () => void
}

/** What the hub has taken on, in the order in which it was acknowledged. */
export interface Acknowledged {
  readonly lines: string[]
  readonly steps: number[]
  /** Responses that neither a dying hub nor its replacement may return. */
  readonly odd: string[]
  /** How often a report had to be sent again. */
  retries: number
}

const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 1_000
const LONGEST_ANSWER_MS = 15_000
/** How likely it hangs up on a report, and how likely it sends a twin after it. */
const IMPATIENT = 0.1

/** Reports until the run has succeeded. */
export async function simulateRunner(options: RunnerOptions): Promise<Acknowledged> {
  const { runId, reports, random } = options
  const done: Acknowledged = { lines: [], steps: [], odd: [], retries: 0 }
  for (let number = 0; number < reports; number += 1) {
    await delay(20 + 60 * random())
    const lines = Array.from({ length: Math.floor(5 * random()) }, (_, at) => `${runId} report ${number} line ${at} ✓`)
    const steps = Array.from({ length: Math.floor(4 * random()) }, (_, at) => 10 * number + at)
    const body = {
      ...(lines.length > 0 && { log_chunk: `${lines.join('\n')}\n` }),
      ...(steps.length > 0 && { metrics: steps.map((step) => ({ step, 'train/reward': step / 7 })) }),
      ...(options.guard !== 'key' && { log_seq: number, metrics_seq: number }),
      ...(number === reports - 1 && { status: 'succeeded' }),
    }
    const key: Record<string, string> = options.guard === 'numbers' ? {} : { 'idempotency-key': `${runId}-${number}` }
    await untilAcknowledged(options, JSON.stringify(body), key, done)
    done.lines.push(...lines)
    done.steps.push(...steps)
    options.onAcknowledged()
  }
  return done
}

async function untilAcknowledged(
  options: RunnerOptions,
  body: string,
  key: Record<string, string>,
  done: Acknowledged,
): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const answer = await Promise.race([send(options, body, key).catch(() => null), patience(options.random)])
    if (answer?.status === 200) return
    if (answer && !mayGoAway(answer)) done.odd.push(`${answer.status} ${answer.text}`)
    done.retries += 1
    await delay(waitMs * (0.5 + options.random()))
  }
}

async function send({ hub, token, runId, random }: RunnerOptions, body: string, key: Record<string, string>) {
  const response = await fetch(`${hub.url}/v1/runs/${runId}/report`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...key },
    body,
    signal: AbortSignal.timeout(random() < IMPATIENT ? 5 + 20 * random() : LONGEST_ANSWER_MS),
  })
  return { status: response.status, text: await response.text() }
}

/** Now and then it waits no longer, without hanging up: what it sends next is a twin of what the hub is still at. */
const patience = (random: () => number) =>
  delay(random() < IMPATIENT ? 5 + 20 * random() : LONGEST_ANSWER_MS, null, { ref: false })

const mayGoAway = ({ status, text }: { status: number; text: string }) =>
  status === 503 || (status === 409 && text.includes('idempotency.in_flight'))
