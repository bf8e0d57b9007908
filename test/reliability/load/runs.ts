/** Runs: made by a client, claimed, reported and ended by runners, each as the protocol says; and what of them the hub acknowledged. */
import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { OWNER } from '../lab/lab.ts'
import { assertStatus } from './actor.ts'
import type { Client, Json } from './client.ts'

/** What was acknowledged of one run. */
export interface RunJournal {
  readonly mark: string
  id: string
  attempt: number
  /** Lines of its log. */
  lines: number
  /** Lines of its metrics. */
  metrics: number
  hasEnded: boolean
}

/** Runs by their mark, which is in their hyperparameters. */
export type RunJournals = Map<string, RunJournal>

const LINES_PER_REPORT = 5
const METRICS_PER_REPORT = 3

export const lineOf = (mark: string, number: number) =>
  `${number} ${mark} loss 0.0123 reward 12.5, 4096 samples/s on the arm`

/** Queues a run. */
export async function makeRun(client: Client, journals: RunJournals): Promise<void> {
  const mark = randomBytes(8).toString('hex')
  const journal = { mark, id: '', attempt: 0, lines: 0, metrics: 0, hasEnded: false }
  const made = await client.ask('POST', '/v1/runs', {
    recipe: { template: 'act', dataset: [], executor: 'worker', max_hours: 1, hyperparams: { mark } },
  })
  // 200 where the first answer was lost: the repeat under its key says what was made.
  assertStatus('createRun', made, 200, 201)
  journal.id = made.json.id
  journals.set(mark, journal)
}

/** Claims a run and carries it out; `onClaim` hears of it first. */
export async function carryOut(
  client: Client,
  worker: string,
  journals: RunJournals,
  { ending, paceMs, reports }: { ending: AbortSignal; paceMs: number; reports: number },
  onClaim: (journal: RunJournal) => void,
): Promise<void> {
  const claimed = await client.ask('POST', '/v1/runs/claim-next', {
    worker,
    owner: OWNER,
    wait_s: ending.aborted ? 0 : 2,
  })
  if (claimed.status === 204) return
  assertStatus('claim-next', claimed, 200)
  const run: Json = claimed.json
  const journal = journals.get(run.recipe.hyperparams.mark) ?? {
    mark: run.recipe.hyperparams.mark,
    id: run.id,
    attempt: 0,
    lines: 0,
    metrics: 0,
    hasEnded: false,
  }
  // Its maker may not have the answer yet that says so.
  journals.set(journal.mark, journal)
  journal.id = run.id
  journal.attempt = run.attempt
  onClaim(journal)
  const report = async (body: Json) =>
    assertStatus(
      'reportRun',
      await client.ask('POST', `/v1/runs/${run.id}/report`, { attempt: run.attempt, ...body }, { keyed: false }),
      200,
    )
  const total = randomInt(2, 2 * reports)
  for (let number = 1; number <= total && !ending.aborted; number += 1) {
    const lines = Array.from({ length: LINES_PER_REPORT }, (_, at) => lineOf(journal.mark, journal.lines + at))
    const metrics = Array.from({ length: METRICS_PER_REPORT }, (_, at) => ({
      step: journal.metrics + at,
      loss: 0.5,
      reward: journal.metrics,
    }))
    await report({ log_seq: number, log_chunk: `${lines.join('\n')}\n`, metrics_seq: number, metrics })
    journal.lines += LINES_PER_REPORT
    journal.metrics += METRICS_PER_REPORT
    await delay(paceMs * (0.5 + Math.random()))
  }
  await report({ log_seq: total + 1, log_chunk: 'the end\n', status: 'succeeded' })
  journal.hasEnded = true
}
