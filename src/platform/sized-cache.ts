/** Promises in a cache with a limit of bytes: their size is known only once they are there. */
import type { LRUCache } from 'lru-cache'

/** Sets the size of a value that is still in the cache. `set` ignores the size that comes with a value it has already. */
export function resize<Value extends object>(
  cache: LRUCache<string, Value>,
  key: string,
  value: Value,
  size: number,
): void {
  if (cache.peek(key) !== value) return
  cache.delete(key)
  cache.set(key, value, { size })
}
