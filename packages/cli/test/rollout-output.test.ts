import { expect, it } from 'vitest'
import { type RolloutResult, rolloutText } from '../src/rollout-output.ts'

const result: RolloutResult = {
  version: 1,
  policy: 'ada/walker@v2',
  robot: 'ada/biped',
  task: 'walk',
  map: { version: 3, fingerprint: 'f'.repeat(64), reviewed_at: '2026-11-03T10:00:00.000Z' },
  first_seed: 1,
  rollouts: 10,
  successes: 8,
  success_rate: 0.8,
  interval: [0.4902, 0.9433],
  mean_return: 12.5,
  mean_seconds: 9.25,
  endings: { reached: 8, failed: 2 },
  worst_seeds: [4, 9, 1, 2, 3],
  engine: '3.14.0',
  drawn_by: null,
  cameras: {},
  redone: 1,
  notes: ['The contract names no terms.'],
  took_s: 3.21,
}

it('says the rate with its interval, and the seeds that failed', () => {
  const lines = rolloutText(result).split('\n')
  expect(lines).toContain('success  8 of 10, 80.0 % (49.0 % to 94.3 % at 95 %)')
  expect(lines).toContain('failed   seeds 4, 9')
  expect(lines).toContain('map      version 3, reviewed 2026-11-03')
  expect(lines).toContain('redone   1 rollout whose process ended')
  expect(lines).toContain('note     The contract names no terms.')
})

it('names what drew the pictures, and says that such a result is not the same to the bit elsewhere', () => {
  expect(rolloutText(result)).not.toContain('drawn')
  const drawn_by = 'Chromium 150.0.1, three.js r187, SwiftShader'
  expect(rolloutText({ ...result, drawn_by })).toContain(
    `\npictures not reproducible to the bit: drawn by ${drawn_by}\n`,
  )
})

it('names the cameras that were chosen', () => {
  expect(rolloutText(result)).not.toContain('camera')
  expect(rolloutText({ ...result, cameras: { front: 'overhead', wrist: 'hand' } })).toContain(
    '\ncamera   front is drawn by overhead\ncamera   wrist is drawn by hand\n',
  )
})

it('says on which board a kept result stands, as a gate names it', () => {
  const kept = { ...result, published: 'roll_1', kept_seeds: [4, 9], board: '3a8ebb'.padEnd(64, '0') }
  const lines = rolloutText(kept).split('\n')
  expect(lines).toContain('kept     as roll_1, with the motions of seeds 4, 9')
  expect(lines).toContain('board    walk 3a8ebb')
  expect(rolloutText(result)).not.toContain('board')
})

it('names the weakest where all succeeded, and says where more failed than it names', () => {
  expect(rolloutText({ ...result, successes: 10 })).toContain('weakest  seeds 4, 9, 1, 2, 3\n')
  expect(rolloutText({ ...result, successes: 2 })).toContain('failed   among others seeds 4, 9, 1, 2, 3\n')
})
