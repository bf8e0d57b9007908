/** Limits of accounts are checked one request at a time: of two concurrent requests for the last place, one gets it. */

import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'

const idColumn = columns({ id: column.text('id') })

const lock = statement({
  name: 'accounts-limit-lock',
  params: { accountIds: param.texts() },
  columns: idColumn,
  text: `select ${idColumn.sql} from accounts where id = any(:accountIds::text[]) order by id for no key update`,
})

/**
 * Locks the accounts whose limits the transaction checks, all at once and in the order of ids. Lock order: repos, jobs,
 * accounts.
 */
export async function lockAccounts(tx: Querier, accountIds: readonly string[]): Promise<void> {
  await tx.query(lock, { accountIds })
}
