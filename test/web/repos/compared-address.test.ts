import { expect, it } from 'vitest'
import { comparedNames, toggledNames } from '../../../web/src/pages/repos/rollouts/compared-address.ts'

const [one, two, three] = ['ada/walk/roll_1', 'ada/walk/roll_2', 'bob/run/roll_3'] as const
const namesOf = (compare: string) => comparedNames(new URLSearchParams({ compare }))

it('an address names two results at most, each once, and nothing that is no result', () => {
  expect(comparedNames(new URLSearchParams())).toEqual([])
  expect(namesOf(`${two},${one}`)).toEqual([two, one])
  expect(namesOf(`${one},${one},${two},${three}`)).toEqual([one, two])
  expect(namesOf(`run_1,ada/walk,,../../roll_1/x,ada/walk/roll_,${three}`)).toEqual([three])
})

it('a third result takes the place of the first, and a chosen one is left out', () => {
  expect(toggledNames([], one)).toBe(one)
  expect(toggledNames([one, two], three)).toBe(`${two},${three}`)
  expect(toggledNames([one, two], one)).toBe(two)
  expect(toggledNames([two], two)).toBe('')
})
