/** What an actor of a load is: something that does one thing after another until it is told to stop. */
import { setTimeout as delay } from 'node:timers/promises'
import { Unsettled } from './client.ts'
import type { Tally } from './tally.ts'

/** Does `step` until `ending`, with a pause of about `paceMs` between. A step that has begun is finished: what it was not answered yet is repeated. */
export async function act(
  name: string,
  { ending, paceMs, tally }: { ending: AbortSignal; paceMs: number; tally: () => Tally },
  step: () => Promise<void>,
): Promise<void> {
  while (!ending.aborted) {
    try {
      await step()
    } catch (error) {
      tally().unexplained(`${name}: ${error instanceof Error ? error.message : error}`)
      if (error instanceof Unsettled) return
    }
    await delay(paceMs * (0.5 + Math.random()), undefined, { signal: ending }).catch(() => undefined)
  }
}

/** Throws unless the answer has the status that the step needs to continue. */
export function assertStatus(what: string, answer: { status: number; json: unknown }, ...wanted: number[]): void {
  if (!wanted.includes(answer.status))
    throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.json).slice(0, 400)}`)
}
