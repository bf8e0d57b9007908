/** Sums and limits of accounts change one transaction at a time: of two requests for the last place, one gets it. */
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'

const idColumn = columns({ id: column.text('id') })

/** NO KEY: inserts that only reference the account (an audit entry, a new repo) need not wait. */
const lock = statement({
  name: 'accounts-lock',
  columns: idColumn,
  params: { ids: param.texts() },
  text: `select ${idColumn.sql} from accounts where id = any(:ids::text[]) order by id for no key update`,
})

/** Locks the accounts until the transaction ends, in the order of ids. Lock order: repos, jobs, accounts. */
export async function lockAccounts(tx: Querier, ids: readonly string[]): Promise<void> {
  await tx.query(lock, { ids })
}
