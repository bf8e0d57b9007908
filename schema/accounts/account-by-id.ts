/** Edges to accounts that a row has only the id of: one statement per level of the query. */
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { Account } from './account.ts'

/** Accounts by id. They are public. */
export async function accountsById({ deps }: RequestContext, ids: readonly string[]): Promise<Map<string, AccountRef>> {
  if (ids.length === 0) return new Map()
  const select = { id: true, kind: true, handle: true, name: true }
  const found = await deps.db.prisma.account.findMany({ where: { id: { in: [...ids] } }, select })
  return new Map(found.map((account) => [account.id, account]))
}

/** Options of a loadable field that resolves the id of an account, which a foreign key keeps, to the account. */
export const accountById = {
  type: Account,
  load: async (ids: string[], ctx: RequestContext) => {
    const found = await accountsById(ctx, ids)
    return ids.map((id) => found.get(id) ?? new Error(`The account ${id} is gone.`))
  },
} as const
