import { constants, PerformanceObserver } from 'node:perf_hooks'
import { expect, it, vi } from 'vitest'
import { dropStartGarbage } from '../../src/platform/start-garbage.ts'

it('a hub collects once, on its own account, what its start has left in memory', async () => {
  const forced: boolean[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as (PerformanceEntry & { detail: { kind: number; flags: number } })[])
      if (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED)
        forced.push(detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
  })
  observer.observe({ entryTypes: ['gc'] })
  vi.useFakeTimers()
  dropStartGarbage()
  vi.runAllTimers()
  vi.useRealTimers()
  await expect.poll(() => forced).toEqual([true])
  observer.disconnect()
})
