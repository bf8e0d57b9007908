import { expect, it } from 'vitest'
import { episodeNumbers } from '../../../web/src/pages/repos/labels/episode-numbers.ts'

it.each([
  ['3', [3]],
  ['3, 5-7, 6', [3, 5, 6, 7]],
  ['0-99', Array.from({ length: 100 }, (_, at) => at)],
])('%s names episodes', (text, episodes) => {
  expect(episodeNumbers(text)).toEqual(episodes)
})

it.each(['', 'a', '3,', '5-3', '-1', '0-100', '0-60, 100-160'])('%j is told to be wrong', (text) => {
  expect(episodeNumbers(text)).toHaveProperty('fault')
})
