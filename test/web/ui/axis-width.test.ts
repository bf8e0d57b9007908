import { expect, it } from 'vitest'
import { axisWidth } from '../../../web/src/ui/axis-width.ts'

it('an axis is wide enough for its longest number, and as wide as that of other charts for short ones', () => {
  expect(axisWidth(['2,000,000', '500'])).toBeGreaterThanOrEqual('2,000,000'.length * 7 + 10)
  expect(axisWidth(['0.00000012'])).toBeGreaterThan(axisWidth(['0.5']))
  expect([axisWidth(['0.5']), axisWidth([])]).toEqual([56, 56])
})
