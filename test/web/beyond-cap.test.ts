/** What pages say of the cap before a hold is approved, and beside the price of a new run or endpoint. */
import { expect, it } from 'vitest'
import { beyondCap, budgetThatFits } from '../../web/src/pages/spend/beyond-cap.ts'

const hold = (reserveUsd: number, limitUsd: number | null, mode: 'STOP' | 'NOTIFY' | null = 'STOP', monthUsd = 6) =>
  beyondCap({ reserveUsd, cap: { limitUsd, mode, monthUsd }, account: { handle: 'lab' } })

it('says that a hold has no room, as the hub would refuse it, and nothing where it has', () => {
  expect(hold(4.01, 10)).toBe(
    'It cannot start now: of the cap of lab, $10.00 a month, $4.00 is left. An owner may raise the cap.',
  )
  expect([hold(4, 10), hold(99, null, null)]).toEqual([null, null])
  expect(hold(1, 5)).toContain('$0.00 is left')
  // A cap of nothing starts no priced job, whatever it costs.
  expect(hold(0, 0, 'STOP', 0)).toContain('It cannot start now')
})

it('says that owners are told of a cap that does not stop', () => {
  expect(hold(5, 10, 'NOTIFY')).toBe(
    'It may pass the cap of lab: $4.00 of $10.00 is left. The owners are told, and it starts.',
  )
  expect(hold(4, 10, 'NOTIFY')).toBeNull()
})

it('adds amounts of four decimals without what floats add', () => {
  expect(hold(0.2, 0.3, 'STOP', 0.1)).toBeNull()
  expect(hold(0.2001, 0.3, 'STOP', 0.1)).not.toBeNull()
})

it('names the greatest budget in cents that fits', () => {
  expect([budgetThatFits(10, 5.9), budgetThatFits(10, 5.9951), budgetThatFits(10, 9.9951)]).toEqual([4.1, 4, null])
  expect(budgetThatFits(0, 0)).toBeNull()
})
