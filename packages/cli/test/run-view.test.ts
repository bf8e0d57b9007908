/** Which metrics of a run are drawn without being asked for. */
import { expect, it } from 'vitest'
import { mainMetrics } from '../src/run-view.ts'

const summary = (...keys: string[]) =>
  keys.map((key) => ({
    key,
    count: 1,
    last: 1,
    min: 1,
    max: 1,
    mean: 1,
    best: /loss|fps/.test(key) ? 1 : null,
    better: null,
  }))
const curve = (metric: string) => ({ sparkline: { metric, points: [] } })

it.each([
  [curve('reward'), ['step', 'loss', 'reward', 'val/loss'], ['reward', 'loss']],
  [curve('reward'), ['lr', 'loss'], ['loss']],
  [{ sparkline: null }, ['step', 'system/fps', 'lr', 'size'], ['lr']],
  [{ sparkline: null }, ['iteration', 'system/cpu_percent'], []],
  [{ sparkline: null }, [], []],
])('of %j with %j are %j', (run, keys, main) => {
  expect(mainMetrics(run, summary(...keys))).toEqual(main)
})
