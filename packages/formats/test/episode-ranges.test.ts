/** Lists of episodes, as people write them. */
import {
  countOfRanges,
  otherRanges,
  readEpisodes,
  readRanges,
  writeEpisodes,
  writeRanges,
} from '@hub/formats/episode-ranges'
import { expect, it } from 'vitest'

it('are read in order, each once, and written in the shortest form', () => {
  expect(readEpisodes('9, 3,5-7,6 - 8,3')).toEqual([3, 5, 6, 7, 8, 9])
  expect(writeEpisodes([3, 5, 6, 7, 8, 9])).toBe('3,5-9')
})

it('say what is wrong', () => {
  expect(readEpisodes('3,x')).toEqual({ fault: expect.stringContaining('"x" is not an episode') })
  expect(readEpisodes('5-3')).toEqual({ fault: '5-3 ends before it begins.' })
  expect(readEpisodes('0-3', 4)).toHaveLength(4)
  expect(readEpisodes('0-4', 4)).toEqual({ fault: 'At most 4 episodes at a time.' })
  expect(readEpisodes('0-2,5-6', 4)).toEqual({ fault: 'At most 4 episodes at a time.' })
})

it('that name the same million in seven thousand ways are read as one', () => {
  expect(readEpisodes(Array.from({ length: 7000 }, () => '0-999999').join(','))).toHaveLength(1_000_000)
})

it('are ranges where their numbers are not needed', () => {
  const ranges = readRanges('7,0-2, 3,5-6')
  expect(ranges).toEqual([
    [0, 3],
    [5, 7],
  ])
  if ('fault' in ranges) return
  expect([countOfRanges(ranges), writeRanges(ranges)]).toEqual([7, '0-3,5-7'])
  expect(writeRanges(otherRanges(ranges, 10))).toBe('4,8-9')
  expect(writeRanges(otherRanges(ranges, 8))).toBe('4')
  expect(otherRanges([[0, 7]], 8)).toEqual([])
  expect(otherRanges([], 3)).toEqual([[0, 2]])
})
