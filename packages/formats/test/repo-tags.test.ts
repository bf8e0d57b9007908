import { tagsTogether } from '@hub/formats/repo-tags'
import { expect, it } from 'vitest'

it('has each tag once in any letter case, where it comes first and as the last list spells it', () => {
  expect(tagsTogether(['arm', 'lerobot'], ['LeRobot', 'own'], ['own', 'license:MIT'])).toEqual([
    'arm',
    'LeRobot',
    'own',
    'license:MIT',
  ])
  expect(tagsTogether()).toEqual([])
})
