import { expect, it } from 'vitest'
import { filmSpeed } from '../src/film-speed.ts'

it('is as fast as the episode was, or as much faster as it has to be', () => {
  expect([0, 9.99, 10, 10.5, 42].map((seconds) => filmSpeed(seconds))).toEqual([1, 1, 1, 1.05, 4.2])
  expect(filmSpeed(1000, Number.POSITIVE_INFINITY)).toBe(1)
  expect(filmSpeed(42, 21)).toBe(2)
})
