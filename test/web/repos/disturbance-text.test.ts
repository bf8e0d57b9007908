/** What a board says of its conditions. */
import { expect, it } from 'vitest'
import { disturbanceText } from '../../../web/src/pages/repos/rollouts/disturbance-text.ts'

const said = (disturbance: object) => disturbanceText({ task: {}, disturbance })

it('names what disturbs the robot, with its numbers', () => {
  expect(said({ pushN: 30, gravity: 1.1, delayMs: 20, observationNoise: 0.01, actionNoise: 0.5 })).toBe(
    'Disturbed by pushes of 30 N for 0.1 s every 2 s, gravity × 1.1, a delay of 20 ms, ' +
      'noise of 0.01 in what it sees, noise of 0.5 in what it does.',
  )
  expect(said({ pushN: 5, pushEveryS: 4, pushForS: 0.25 })).toBe('Disturbed by pushes of 5 N for 0.25 s every 4 s.')
})

it('says nothing of what is usual, and of the times of no push', () => {
  const nothing = 'Nothing disturbs the robot: no push, delay or noise.'
  expect([said({}), said({ gravity: 1, pushN: 0, pushEveryS: 9 }), disturbanceText(null)]).toEqual(
    Array(3).fill(nothing),
  )
})

it('shows what it has no words for by its name', () => {
  expect(said({ wind: 3, gravity: 0 })).toBe('Disturbed by gravity × 0, wind 3.')
})
