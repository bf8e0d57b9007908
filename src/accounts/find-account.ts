/** The account behind a handle, for verbs that were given one. */
import { type Account, accountByHandle } from '../auth/handle.ts'
import { notFound } from '../platform/errors.ts'
import type { Querier } from '../store/db.ts'

/** The account that a handle names; 404 otherwise, also where it is of another kind than `kind`. */
export async function findAccount(querier: Querier, handle: string, kind?: 'user' | 'org'): Promise<Account> {
  const [account] = await querier.query(accountByHandle, [handle])
  if (!account || (kind !== undefined && account.kind !== kind)) throw notFound(`The ${kind ?? 'account'} ${handle}`)
  return account
}
