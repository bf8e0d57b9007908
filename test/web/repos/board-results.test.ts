import { expect, it } from 'vitest'
import { resultsText } from '../../../web/src/pages/repos/rollouts/board-results.ts'

it('a board whose results were counted to the end says so, and another one their number', () => {
  expect([0, 1, 999, 1000].map(resultsText)).toEqual(['0', '1', '999', '1,000 or more'])
})
