/** The table of states of an endpoint: every state with every trigger. Spec, "Endpoint" in "States and transitions". */
import { describe, expect, it } from 'vitest'
import {
  decideEndpoint,
  type EndpointFacts,
  type EndpointStatus,
  type EndpointTrigger,
  endpointStatuses,
} from '../../src/endpoints/endpoint-state.ts'

const facts = (status: EndpointStatus, change: Partial<EndpointFacts> = {}): EndpointFacts => ({
  status,
  executor: 'worker',
  isClaimer: false,
  isOwnKey: false,
  graceOver: false,
  ...change,
})

const outcome = (trigger: EndpointTrigger, given: EndpointFacts): string => {
  const verdict = decideEndpoint(trigger, given)
  return 'to' in verdict ? verdict.to : verdict.refusal.type
}

const triggers: readonly EndpointTrigger[] = ['claim', 'report', 'close', 'fail', 'stop', 'dispatch', 'sweep']

/** Whoever acts has every right, and every limit is reached. */
const mighty = { isClaimer: true, isOwnKey: true, graceOver: true }

describe('an endpoint', () => {
  it('moves as the table says, and to no other state, where everything allows it', () => {
    const table = Object.fromEntries(
      endpointStatuses.map((status) => [
        status,
        triggers.map((trigger) => outcome(trigger, facts(status, { ...mighty, executor: 'hosted' }))),
      ]),
    )
    expect(table).toEqual({
      queued: [
        'running',
        'conflict.not_claimer',
        'conflict.not_claimer',
        'conflict.not_claimer',
        'stopped',
        'failed',
        'conflict.not_claimer',
      ],
      running: ['conflict.already_claimed', 'running', 'stopped', 'failed', 'running', 'failed', 'failed'],
      stopped: triggers.map(() => 'conflict.terminal'),
      failed: triggers.map(() => 'conflict.terminal'),
    })
  })

  it('of a worker is anyone’s to claim, a hosted one is its own call’s', () => {
    expect(outcome('claim', facts('queued'))).toBe('running')
    expect(outcome('claim', facts('queued', { executor: 'hosted' }))).toBe('conflict.wrong_kind')
    expect(outcome('claim', facts('queued', { executor: 'hosted', isOwnKey: true }))).toBe('running')
  })

  it('is reported and ended by its claimer alone, and by the hub only past its limits', () => {
    for (const trigger of ['report', 'close', 'fail'] as const) {
      expect(outcome(trigger, facts('running'))).toBe('conflict.not_claimer')
      expect(outcome(trigger, facts('running', { isOwnKey: true }))).toBe('conflict.not_claimer')
    }
    expect(outcome('sweep', facts('running'))).toBe('conflict.not_claimer')
    expect(outcome('sweep', facts('running', { graceOver: true }))).toBe('failed')
    expect(outcome('dispatch', facts('queued'))).toBe('conflict.not_claimer')
  })

  it('is stopped by whoever sees it, as often as they like', () => {
    expect(outcome('stop', facts('queued'))).toBe('stopped')
    expect(outcome('stop', facts('running'))).toBe('running')
    expect(outcome('stop', facts('stopped'))).toBe('conflict.terminal')
  })
})
