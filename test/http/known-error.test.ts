import { pino } from 'pino'
import { expect, it } from 'vitest'
import { knownError } from '../../src/http/known-error.ts'

it('an aborted request is not a failure of the hub and is not logged', () => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const aborted = AbortSignal.abort().reason as unknown
  expect(knownError(aborted, { id: 'r-1', log })).toMatchObject({ type: 'unavailable', status: 503 })
  expect(lines).toEqual([])
  expect(knownError(new Error('inside'), { id: 'r-2', log }).message).not.toContain('inside')
  expect(lines).toHaveLength(1)
})
