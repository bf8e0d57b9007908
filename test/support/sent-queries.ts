/**
 * What a test's own work sends to PostgreSQL. `pg` belongs to the process: the sweeps of a hub, and what an earlier file
 * of this process still does, are left out by their asynchronous context.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { vi } from 'vitest'

const watched = new AsyncLocalStorage<unknown[]>()

/** Whether this is called by the work of `queriesSentBy`. */
export const isWatchedWork = (): boolean => watched.getStore() !== undefined

/** A pool asks it of each new connection, which any wait can bring. */
const isOfNewConnection = (query: unknown) => typeof query === 'string' && query.includes('to_regclass')

/** The queries that `work` sends, in order, as `pg` gets them: each is one round trip. */
export async function queriesSentBy(work: () => Promise<unknown>): Promise<unknown[]> {
  const sent: unknown[] = []
  const query = pg.Client.prototype.query
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    if (!isOfNewConnection(given[0])) watched.getStore()?.push(given[0])
    return Reflect.apply(query, this, given)
  })
  try {
    await watched.run(sent, work)
    return sent
  } finally {
    spy.mockRestore()
  }
}
