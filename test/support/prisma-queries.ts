/** What Prisma sends for a GraphQL document, as tests compare it. */
import pg from 'pg'
import { vi } from 'vitest'

/** One SELECT of Prisma: its table, the columns that it reads, in order of their names, and its text. */
export interface PrismaQuery {
  readonly table: string
  readonly columns: readonly string[]
  readonly text: string
  readonly values: readonly unknown[]
}

function parsed(text: string, values: readonly unknown[]): PrismaQuery | null {
  const [, columns = '', table = ''] = /^SELECT (.+?) FROM "public"\."(\w+)"/s.exec(text) ?? []
  const names = [...columns.matchAll(/"public"\."\w+"\."(\w+)"/g)].map(([, name = '']) => name)
  return table ? { table, columns: names.toSorted(), text, values } : null
}

/** The queries that Prisma sends while `ask` runs, in a transaction or not. The hub's own statements are not included, so its background work does not appear. */
export async function prismaQueries(ask: () => Promise<unknown>): Promise<PrismaQuery[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await ask()
    return query.mock.calls.flatMap(([sent]: readonly unknown[]) => {
      const { text = '', values = [] } = sent as { text?: string; values?: readonly unknown[] }
      return parsed(text, values) ?? []
    })
  } finally {
    query.mockRestore()
  }
}

/** `table: column, column` of each. */
export const shapes = (queries: readonly PrismaQuery[]): string[] =>
  queries.map(({ table, columns }) => `${table}: ${columns.join(', ')}`)
