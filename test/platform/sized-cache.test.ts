import { LRUCache } from 'lru-cache'
import { expect, it } from 'vitest'
import { resize } from '../../src/platform/sized-cache.ts'

const filled = () => {
  const cache = new LRUCache<string, object>({ max: 10, maxSize: 100 })
  const [one, two] = [{}, {}]
  cache.set('one', one, { size: 1 })
  cache.set('two', two, { size: 1 })
  return { cache, one, two }
}

it('counts what a value turned out to take', () => {
  const { cache, one, two } = filled()
  resize(cache, 'one', one, 60)
  expect(cache.calculatedSize).toBe(61)
  resize(cache, 'two', two, 60)
  expect([cache.peek('one'), cache.peek('two'), cache.calculatedSize]).toEqual([undefined, two, 60])
})

it('leaves a value alone that has taken the place of another', () => {
  const { cache, two } = filled()
  resize(cache, 'one', two, 60)
  expect(cache.calculatedSize).toBe(2)
})
