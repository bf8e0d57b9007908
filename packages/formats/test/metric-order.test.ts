import { expect, it } from 'vitest'
import { machineLast } from '../src/metric-order.ts'

it('metrics of the machine come after those of the training, both in their order', () => {
  const named = ['system/cpu', 'loss', 'system', 'system/gpu', 'a/system/b'].map((key) => ({ key }))
  expect(machineLast(named).map(({ key }) => key)).toEqual(['loss', 'system', 'a/system/b', 'system/cpu', 'system/gpu'])
})
