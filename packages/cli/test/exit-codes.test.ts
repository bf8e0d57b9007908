/** What a script learns from the exit code of a refused request. */
import { ProblemError } from '@hub/client/internal'
import { expect, it } from 'vitest'
import { exitCode, exitCodeOf } from '../src/client-output.ts'

const codeOf = (status: number, kind: string) =>
  exitCodeOf(new ProblemError(status, { type: `/problems/${kind}`, title: 'No', detail: 'No.', errors: [] }, null))

it.each([
  [429, 'quota.spend_cap'],
  [429, 'quota.gpu_hours'],
  [413, 'quota.storage'],
  [409, 'quota.snapshots'],
])('a %s %s is rejected, whatever its status: another try has the same answer', (status, kind) => {
  expect(codeOf(status, kind)).toBe(exitCode.refused)
})

it('a rate that was passed is a failure, which the next try may not have', () => {
  expect(codeOf(429, 'rate.limited')).toBe(exitCode.failed)
  expect(codeOf(503, 'unavailable')).toBe(exitCode.failed)
})
