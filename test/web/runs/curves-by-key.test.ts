import { expect, it } from 'vitest'
import { keysOf } from '../../../web/src/pages/runs/curves-by-key.ts'
import type { RunMetricsQuery } from '../../../web/src/pages/runs/metrics.graphql.ts'

const answer = (...runs: readonly (readonly string[])[]) =>
  ({
    nodes: runs.map((keys, at) => ({ id: `run_${at}`, metrics: { keys, series: [] } })),
  }) as unknown as RunMetricsQuery

it('charts metrics of the training before those of the machine, each once, in the order in which runs have them', () => {
  expect(
    keysOf(answer(['system/cpu_percent', 'loss', 'system/memory_gb'], ['loss', 'system/gpu', 'eval/acc'])),
  ).toEqual([...['loss', 'eval/acc'], ...['system/cpu_percent', 'system/memory_gb', 'system/gpu']])
  expect(keysOf(undefined)).toEqual([])
})
