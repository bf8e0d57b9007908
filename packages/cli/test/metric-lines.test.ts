/** Lines of metrics as text. */
import { parseExact } from '@hub/formats/exact-json'
import { expect, it } from 'vitest'
import { metricLines } from '../src/metric-lines.ts'

it('begins with the step and sets each metric below itself where lines have the same ones', () => {
  const text = metricLines()
  const lines = [
    { loss: 0.123456789, step: 10, lr: 1e-4 },
    { step: 20, lr: 1e-4, loss: 0.5 },
    { step: 20, 'system/cpu': 37.25 },
    { step: 30, loss: 1234567, note: 'a\x1b[2Jb' },
    { loss: 2 },
  ].map(text)
  expect(lines).toEqual([
    'step 10  loss 0.12346    lr 0.0001',
    'step 20  loss 0.5        lr 0.0001',
    'step 20  system/cpu 37.25',
    'step 30  loss 1234567    note a\\u001b[2Jb',
    '         loss 2',
  ])
})

it('keeps whole and short numbers as they were reported, also as the step, and cuts what is long', () => {
  const line = parseExact(
    '{"iteration": 12345678901234567890, "tokens": 9007199254740991, "tiny": 1e-400, "deep": {"a": 1.50}}',
  )
  expect(metricLines()(line as Record<string, unknown>)).toBe(
    'step 12345678901234567890  tokens 9007199254740991  tiny 1e-400     deep {"a":1.50}',
  )
  expect(metricLines()({ _step: 1, text: 'x'.repeat(100) })).toBe(`step 1  text ${'x'.repeat(39)}…`)
})
