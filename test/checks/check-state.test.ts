import { describe, expect, it } from 'vitest'
import { type CheckFacts, type CheckTrigger, decideCheck } from '../../src/checks/check-state.ts'
import { type JobStatus, terminalStatuses } from '../../src/work/job-state.ts'

const triggers: readonly CheckTrigger[] = ['claim', 'report', 'succeed', 'fail', 'cancel', 'dispatch', 'sweep']
const facts = (status: JobStatus, change: Partial<CheckFacts> = {}): CheckFacts => ({
  status,
  executor: 'worker',
  isClaimer: false,
  isOwnKey: false,
  deadlineOver: false,
  ...change,
})
const outcome = (trigger: CheckTrigger, check: CheckFacts) => {
  const verdict = decideCheck(trigger, check)
  return 'to' in verdict ? verdict.to : verdict.refusal.type
}

describe('the states of a check', () => {
  it.each([
    ['claim', facts('queued'), 'running'],
    ['claim', facts('queued', { executor: 'hosted', isOwnKey: true }), 'running'],
    ['claim', facts('queued', { executor: 'hosted' }), 'conflict.wrong_kind'],
    ['claim', facts('running'), 'conflict.already_claimed'],
    ['claim', facts('running', { isClaimer: true }), 'conflict.already_claimed'],
    ['report', facts('running', { isClaimer: true }), 'running'],
    ['report', facts('running'), 'conflict.not_claimer'],
    ['report', facts('queued'), 'conflict.not_claimer'],
    ['succeed', facts('running', { isClaimer: true }), 'succeeded'],
    ['succeed', facts('running'), 'conflict.not_claimer'],
    ['fail', facts('running', { isClaimer: true }), 'failed'],
    ['fail', facts('running'), 'conflict.not_claimer'],
    ['cancel', facts('queued'), 'canceled'],
    ['cancel', facts('running'), 'canceled'],
    ['dispatch', facts('queued', { executor: 'hosted' }), 'failed'],
    ['dispatch', facts('running', { executor: 'hosted' }), 'failed'],
    ['sweep', facts('running', { executor: 'hosted', deadlineOver: true }), 'failed'],
  ] as const)('%s of %o leads to %s', (trigger, check, expected) => {
    expect(outcome(trigger, check)).toBe(expected)
  })

  it('do not move once it has ended, by anything and anyone', () => {
    for (const status of terminalStatuses)
      for (const trigger of triggers)
        for (const isClaimer of [true, false])
          expect(outcome(trigger, facts(status, { isClaimer, executor: 'hosted', isOwnKey: true }))).toBe(
            'conflict.terminal',
          )
  })
})
