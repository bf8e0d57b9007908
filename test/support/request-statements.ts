/** Counts the SQL statements that requests to a hub in this process send, and none that its background work sends meanwhile. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, vi } from 'vitest'
import type { Db } from '../../src/store/db.ts'

const REQUEST_STARTS = 'http.server.request.start'

/** Statements of the requests that `ask` makes: the least of three counts, since the first may fill caches or note that a key was used. */
export async function statementsOf(db: Db, ask: () => Promise<unknown>): Promise<number> {
  const counts: number[] = []
  for (let at = 0; at < 3; at += 1) counts.push(await countOnce(db, ask))
  return Math.min(...counts)
}

async function countOnce({ pool }: Db, ask: () => Promise<unknown>): Promise<number> {
  const inRequest = new AsyncLocalStorage<true>()
  const count = { query: 0, connect: 0 }
  // Published by Node before it hands the request to the server, in whose context all that the request causes then runs.
  const mark = () => inRequest.enterWith(true)
  const counted = (method: 'query' | 'connect') => {
    const original = pool[method].bind(pool) as (...given: unknown[]) => unknown
    return vi.spyOn(pool, method).mockImplementation(((...given: unknown[]) => {
      if (inRequest.getStore()) count[method] += 1
      return original(...given)
    }) as never)
  }
  const [query, connect] = [counted('query'), counted('connect')]
  subscribe(REQUEST_STARTS, mark)
  try {
    await ask()
  } finally {
    unsubscribe(REQUEST_STARTS, mark)
    query.mockRestore()
    connect.mockRestore()
  }
  // Each request asks for its credential at least, and a transaction would hide what it sends.
  expect(count.query).toBeGreaterThan(0)
  expect(count.connect).toBeLessThanOrEqual(count.query)
  return count.query
}
