/** Work on many metrics lines pauses, so that others are served meanwhile. Contract, "Checkpoints and metrics". */
import { afterEach, expect, it, vi } from 'vitest'
import { turns } from '../../../src/platform/turns.ts'
import { LINES_SLICE, readMetrics } from '../../../src/runs/metrics/metrics-line.ts'
import { contractHub } from '../../support/hub.ts'

const hub = contractHub()
afterEach(() => vi.restoreAllMocks())

const LINES = 10
const lines = Array.from({ length: LINES }, (_, step) => ({ step, text: 'x'.repeat(LINES_SLICE), 'system/cpu': step }))

it('a report waits for a turn before each slice of its lines', async () => {
  const next = vi.spyOn(turns, 'next')
  const read = await readMetrics(lines)
  expect(next.mock.calls.length).toBeGreaterThanOrEqual(LINES)
  expect(read?.lines).toEqual(lines.map((line) => JSON.stringify(line)))
  expect([read?.steps, read?.latest]).toEqual([lines.map(({ step }) => step), read?.lines.at(-1)])
})

it('the newest line that has more than the load of a machine is the latest', async () => {
  const read = await readMetrics([{ loss: 1 }, { 'system/cpu': 2 }])
  expect(read?.latest).toBe('{"loss":1}')
  expect((await readMetrics([{ 'system/cpu': 2 }]))?.latest).toBeNull()
})

it('a reader of all metrics waits for a turn after each slice of the lines', async () => {
  const who = await hub.person()
  const recipe = { template: 'act', executor: 'worker' }
  const run = await hub.call(who, 'POST', '/v1/runs/start', { worker: 'w', recipe })
  const path = `/v1/runs/${run.json.id}`
  expect((await hub.call(who, 'POST', `${path}/report`, { metrics: lines })).status).toBe(200)
  const next = vi.spyOn(turns, 'next')
  const read = await hub.call(who, 'GET', `${path}/metrics`)
  expect(read.json.series.map(({ count }: { count: number }) => count)).toEqual([LINES, LINES])
  expect(next.mock.calls.length).toBeGreaterThanOrEqual(LINES)
})
