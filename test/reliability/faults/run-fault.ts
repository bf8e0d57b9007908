/** One fault under load: before, during and after it, and the recount. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Lab } from '../lab/lab.ts'
import { type LoadSize, startLoad } from '../load/load.ts'
import type { Tally } from '../load/tally.ts'
import type { Findings } from '../recount/findings.ts'
import { recount } from '../recount/recount.ts'
import type { Fault } from './fault.ts'

export interface FaultTimes {
  /** Of load before the fault, and again after it. */
  readonly aroundMs: number
  readonly faultMs: number
}

export interface FaultResult {
  readonly during: Tally
  readonly after: Tally
  /** From the healing until every hub was ready. */
  readonly recoveryMs: number
  readonly findings: Findings
  /** Every request had an answer in the end, and every stream an end. */
  readonly isSettled: boolean
  /** Everything was settled, nothing lost, nothing twice, no answer too late or without a reason. */
  readonly isWell: boolean
  recountAgain(): Promise<Findings>
}

/** The key of a request that died with its hub is free after a minute. */
const FINISH_MS = 150_000
const READY_MS = 60_000

/** Strikes with each of `faults`, one after another, under one load, and recounts at the end. */
export async function runFaults(
  lab: Lab,
  faults: readonly Fault[],
  size: LoadSize,
  { aroundMs, faultMs }: FaultTimes,
): Promise<FaultResult> {
  const load = await startLoad(lab, size)
  await load.warm()
  await delay(aroundMs)
  const during = load.count()
  let recoveryMs = 0
  for (const fault of faults) {
    let healedAt = performance.now()
    await fault.strike(lab, faultMs, () => {
      healedAt = performance.now()
    })
    await lab.ready(READY_MS)
    recoveryMs = Math.max(recoveryMs, performance.now() - healedAt)
  }
  const after = load.count()
  await delay(aroundMs)
  const isSettled = await load.finish(FINISH_MS)
  const findings = await recount(lab, load)
  const problems = [...during.unexpected, ...after.unexpected, ...findings.lost, ...findings.twice]
  const isWell =
    isSettled && problems.length === 0 && during.longestMs <= Math.max(...faults.map(({ longestMs }) => longestMs))
  return { during, after, recoveryMs, findings, isSettled, isWell, recountAgain: () => recount(lab, load) }
}
