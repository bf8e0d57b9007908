import { describe, expect, it } from 'vitest'
import { errorTable } from '../../src/platform/errors.ts'
import { decideRun, type RunFacts, type RunTrigger, runTransitions } from '../../src/runs/run-state.ts'
import type { JobExecutor } from '../../src/work/held-job.ts'
import { type JobStatus, terminalStatuses } from '../../src/work/job-state.ts'

const statuses: readonly JobStatus[] = ['queued', 'running', 'succeeded', 'failed', 'canceled']
const triggers: readonly RunTrigger[] = [
  'claim',
  'reclaim',
  'sweep',
  'report',
  'succeed',
  'fail',
  'confirmCancel',
  'cancel',
  'stop',
  'dispatch',
]
const executors: readonly (JobExecutor | null)[] = ['worker', 'hosted', null]

const facts = (status: JobStatus, change: Partial<RunFacts> = {}): RunFacts => ({
  status,
  executor: 'worker',
  cancelRequested: false,
  isClaimer: false,
  isOwnCall: false,
  isBarred: false,
  namesHostedCall: false,
  leaseOver: false,
  deadlineOver: false,
  deadlineAsked: false,
  graceOver: false,
  stopOver: false,
  canBeEnded: true,
  attemptsSpent: false,
  ...change,
})

/** Every combination of facts there is. */
function* allFacts(): Generator<RunFacts> {
  for (const status of statuses)
    for (const executor of executors)
      for (let bits = 0; bits < 512; bits += 1)
        yield facts(status, {
          executor,
          cancelRequested: (bits & 1) > 0,
          isClaimer: (bits & 2) > 0,
          isOwnCall: (bits & 4) > 0,
          leaseOver: (bits & 8) > 0,
          attemptsSpent: (bits & 16) > 0,
          deadlineOver: (bits & 32) > 0,
          deadlineAsked: (bits & 96) === 96,
          graceOver: (bits & 64) > 0,
          isBarred: (bits & 128) > 0,
          namesHostedCall: (bits & 256) > 0,
          // No trigger depends on one of these and on the fact of the same bit.
          stopOver: executor === 'hosted' && (bits & 129) === 129,
          canBeEnded: executor !== 'hosted' || (bits & 256) > 0,
        })
}

const outcome = (trigger: RunTrigger, run: RunFacts) => {
  const verdict = decideRun(trigger, run)
  return 'to' in verdict ? verdict.to : verdict.refusal.type
}

describe('a run changes its state', () => {
  it.each([
    ['a queued worker run is claimed', 'claim', facts('queued'), 'running'],
    [
      'a queued hosted run is claimed by its own call',
      'claim',
      facts('queued', { executor: 'hosted', isOwnCall: true }),
      'running',
    ],
    [
      'a queued run is not claimed by who lost its lease just now',
      'claim',
      facts('queued', { isBarred: true }),
      'conflict.lease_lost',
    ],
    [
      'a worker run is not claimed with what hosted calls say',
      'claim',
      facts('queued', { namesHostedCall: true }),
      'validation.value',
    ],
    ['a queued hosted run is not for workers', 'claim', facts('queued', { executor: 'hosted' }), 'conflict.wrong_kind'],
    [
      'a claimed run is not claimed again, not even by its claimer',
      'claim',
      facts('running', { isClaimer: true }),
      'conflict.already_claimed',
    ],
    [
      'a hosted run is claimed anew by its own call and credential',
      'reclaim',
      facts('running', { executor: 'hosted', isOwnCall: true, isClaimer: true }),
      'running',
    ],
    [
      'a worker run is never claimed anew',
      'reclaim',
      facts('running', { isOwnCall: true, isClaimer: true }),
      'conflict.already_claimed',
    ],
    [
      'another call cannot take it over',
      'reclaim',
      facts('running', { executor: 'hosted', isClaimer: true }),
      'conflict.already_claimed',
    ],
    [
      'another credential cannot either',
      'reclaim',
      facts('running', { executor: 'hosted', isOwnCall: true }),
      'conflict.already_claimed',
    ],
    ['a lost lease puts it back', 'sweep', facts('running', { leaseOver: true }), 'queued'],
    ['a lease lost too often fails it', 'sweep', facts('running', { leaseOver: true, attemptsSpent: true }), 'failed'],
    [
      'a lease lost after a cancel ends it',
      'sweep',
      facts('running', { leaseOver: true, cancelRequested: true, attemptsSpent: true }),
      'canceled',
    ],
    [
      'a lease lost past the deadline fails it',
      'sweep',
      facts('running', { leaseOver: true, deadlineOver: true }),
      'failed',
    ],
    [
      'a deadline alone leaves the runner its time',
      'sweep',
      facts('running', { deadlineOver: true }),
      'conflict.not_claimer',
    ],
    [
      'one that does not stop at its deadline fails',
      'sweep',
      facts('running', { deadlineOver: true, cancelRequested: true, deadlineAsked: true, graceOver: true }),
      'failed',
    ],
    [
      'one that was canceled before and does not stop is canceled',
      'sweep',
      facts('running', { deadlineOver: true, cancelRequested: true, graceOver: true }),
      'canceled',
    ],
    ['a report without a status keeps it', 'report', facts('running', { isClaimer: true }), 'running'],
    ['a late report finds it queued', 'report', facts('queued'), 'conflict.not_claimer'],
    ['a late report finds it held by another', 'report', facts('running'), 'conflict.not_claimer'],
    ['its claimer ends it well', 'succeed', facts('running', { isClaimer: true }), 'succeeded'],
    [
      'also when a cancel came too late',
      'succeed',
      facts('running', { isClaimer: true, cancelRequested: true }),
      'succeeded',
    ],
    ['its claimer ends it badly', 'fail', facts('running', { isClaimer: true }), 'failed'],
    [
      'its claimer obeys a cancel',
      'confirmCancel',
      facts('running', { isClaimer: true, cancelRequested: true }),
      'canceled',
    ],
    ['nobody asked it to stop', 'confirmCancel', facts('running', { isClaimer: true }), 'validation.value'],
    ['a queued run is canceled at once', 'cancel', facts('queued', { executor: 'hosted' }), 'canceled'],
    ['a running worker run is asked to stop', 'cancel', facts('running', { cancelRequested: true }), 'running'],
    ['a running hosted run likewise', 'cancel', facts('running', { executor: 'hosted' }), 'running'],
    [
      'a running hosted run on another backend cannot be canceled here',
      'cancel',
      facts('running', { executor: 'hosted', canBeEnded: false }),
      'not_supported',
    ],
    [
      'a hosted run that was asked to stop and does not is canceled',
      'sweep',
      facts('running', { executor: 'hosted', cancelRequested: true, stopOver: true }),
      'canceled',
    ],
    ['a budget or tripwire asks any running run to stop', 'stop', facts('running', { executor: 'hosted' }), 'running'],
    ['a spawn that failed fails a hosted run', 'dispatch', facts('queued', { executor: 'hosted' }), 'failed'],
  ] as const)('%s', (_name, trigger, run, expected) => {
    expect(outcome(trigger, run)).toBe(expected)
  })

  it('never from a terminal state', () => {
    const left: unknown[] = []
    for (const run of allFacts()) {
      if (!terminalStatuses.includes(run.status)) continue
      for (const trigger of triggers) {
        const found = outcome(trigger, run)
        if (found !== 'conflict.terminal') left.push([trigger, run, found])
      }
    }
    expect(left).toEqual([])
  })

  it('to running only by a claim, and from running to a terminal state only by its claimer, a lost lease or a limit that it does not keep', () => {
    const wrong: unknown[] = []
    for (const run of allFacts()) {
      for (const trigger of triggers) {
        const verdict = decideRun(trigger, run)
        if (!('to' in verdict)) continue
        const isClaimed = run.status === 'queued' && verdict.to === 'running'
        const isEnded = run.status === 'running' && terminalStatuses.includes(verdict.to)
        const mayEnd = run.isClaimer || (trigger === 'sweep' && (run.leaseOver || run.graceOver || run.stopOver))
        if ((isClaimed && trigger !== 'claim') || (isEnded && !mayEnd)) wrong.push([trigger, run, verdict.to])
      }
    }
    expect(wrong).toEqual([])
  })

  it('by every row of the table, and each error is from the closed table and has a sentence', () => {
    const used = new Set<unknown>()
    const known = new Set(Object.keys(errorTable))
    const faulty: unknown[] = []
    for (const run of allFacts()) {
      for (const trigger of triggers) {
        const row = runTransitions.find(
          (each) => each.trigger === trigger && each.from === run.status && each.when(run),
        )
        if (row) used.add(row)
        const verdict = decideRun(trigger, run)
        if ('to' in verdict) continue
        const { type, detail } = verdict.refusal
        if (!known.has(type) || !detail.endsWith('.')) faulty.push([trigger, run, type, detail])
      }
    }
    expect(faulty).toEqual([])
    expect(used.size).toBe(runTransitions.length)
  })
})
