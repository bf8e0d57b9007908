import { expect, it } from 'vitest'
import { eventsOf } from '../../src/http/sse.ts'
import type { LogBatch } from '../../src/work/log/log-batch.ts'

const at = { chunk: 1, line: 0, metric: 0 }
const batch = (line: string): LogBatch => ({
  kind: 'log',
  stream: 'stdout',
  at: '2026-11-23T00:00:00.000Z',
  lines: [line],
  from: 0,
  isLast: true,
  before: at,
  after: { ...at, line: 1 },
  cost: 0,
})

it('keeps of the events of a batch their bytes alone, and no slab that others were cut from', () => {
  const bytes = eventsOf(batch('añ'))
  expect(bytes.toString()).toMatch(/^event: log\nid: 1\.1-0\ndata: \{.*"line":"añ"\}\n\n$/)
  expect(bytes.buffer.byteLength).toBe(bytes.length)
})

it('renders a batch once for all of its readers', () => {
  const one = batch('x')
  expect(eventsOf(one)).toBe(eventsOf(one))
})
