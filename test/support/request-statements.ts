/** The SQL statements that requests to a hub in this process send, and none of its background work meanwhile. */
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

async function countOnce(db: Db, ask: () => Promise<unknown>): Promise<number> {
  const { sent, connections } = await sentBy(db, ask)
  // Each request asks for its credential at least, and a transaction would hide what it sends.
  expect(sent.length).toBeGreaterThan(0)
  expect(connections).toBeLessThanOrEqual(sent.length)
  return sent.length
}

export interface SentStatement {
  /** Empty where it is not prepared. */
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

/** What the requests that `ask` makes send to the pool, and how many connections they take from it. */
export async function sentBy(
  { pool }: Db,
  ask: () => Promise<unknown>,
): Promise<{ readonly sent: readonly SentStatement[]; readonly connections: number }> {
  const inRequest = new AsyncLocalStorage<true>()
  const sent: SentStatement[] = []
  let connections = 0
  // Published by Node before it hands the request to the server: all that the request causes runs in this context.
  const mark = () => inRequest.enterWith(true)
  const watched = (method: 'query' | 'connect', note: (statement: SentStatement) => void) => {
    const original = pool[method].bind(pool) as (...given: unknown[]) => unknown
    return vi.spyOn(pool, method).mockImplementation(((...given: unknown[]) => {
      if (inRequest.getStore()) note(given[0] as SentStatement)
      return original(...given)
    }) as never)
  }
  const query = watched('query', (statement) => sent.push(statement))
  const connect = watched('connect', () => {
    connections += 1
  })
  subscribe(REQUEST_STARTS, mark)
  try {
    await ask()
  } finally {
    unsubscribe(REQUEST_STARTS, mark)
    query.mockRestore()
    connect.mockRestore()
  }
  return { sent, connections }
}
