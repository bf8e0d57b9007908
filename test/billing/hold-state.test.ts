import { describe, expect, it } from 'vitest'
import {
  type HoldTrigger,
  holdMoves,
  nextHoldStatus,
  type SpendHoldStatus,
} from '../../src/billing/holds/hold-state.ts'

const states: readonly SpendHoldStatus[] = ['pending', 'approved', 'denied', 'canceled', 'expired']
const rows = states.flatMap((from) =>
  (Object.keys(holdMoves) as HoldTrigger[]).map((trigger) => [from, trigger] as const),
)

describe('the states of a spend hold', () => {
  it.each(rows)('a %s hold, at %s', (from, trigger) => {
    const next = () => nextHoldStatus(trigger, from)
    if (from === 'pending')
      expect(next()).toBe({ approve: 'approved', deny: 'denied', cancel: 'canceled', expire: 'expired' }[trigger])
    else expect(next).toThrow(expect.objectContaining({ type: 'conflict.not_pending', status: 409 }))
  })
})
