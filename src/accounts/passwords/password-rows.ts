/** Passwords as rows. The row's lock orders a sign-in, a change and a reset of one person. */
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { insertInto } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'

const personColumns = columns({
  id: column.text('a.id'),
  hash: column.text.orNull('p.hash'),
  changedAt: column.timestamptz.orNull('p.changed_at'),
})

/** A user and their password's hash, by handle; no row for an org or an unknown name. */
export const personByHandle = statement({
  name: 'password-by-handle',
  exact: 'each-request',
  columns: personColumns,
  params: { handle: param.text() },
  text: `select ${personColumns.sql} from accounts a left join passwords p on p.account_id = a.id
    where a.handle = :handle and a.kind = 'user'`,
})

const hashColumns = columns({ hash: column.text('hash'), changedAt: column.timestamptz('changed_at') })

export const passwordOf = statement({
  name: 'password-of',
  exact: 'each-request',
  columns: hashColumns,
  params: { accountId: param.text() },
  text: `select ${hashColumns.sql} from passwords where account_id = :accountId`,
})

/**
 * The row, if its password is still the one that was compared: a reset waits, or has been and finds no session here. A
 * password is known by the time of its change, to a millisecond, since its hash may be made again.
 */
const holdPassword = statement({
  name: 'password-hold',
  params: { accountId: param.text(), changedAt: param.timestamptz() },
  columns: hashColumns,
  text: `select ${hashColumns.sql} from passwords where account_id = :accountId and changed_at = :changedAt
    for no key update`,
})

/** Whether a password is still the one that was compared; it then stays so until the transaction ends. */
export async function isStillPassword(tx: Querier, accountId: string, changedAt: string): Promise<boolean> {
  return (await tx.query(holdPassword, { accountId, changedAt })).length > 0
}

const changedColumns = columns({ changedAt: column.timestamptz('changed_at') })
const passwordRow = insertInto('passwords', { accountId: param.text(), hash: param.text() })

const addPassword = statement({
  name: 'password-add',
  columns: changedColumns,
  params: passwordRow.params,
  text: `${passwordRow.sql} on conflict (account_id) do nothing returning ${changedColumns.sql}`,
})
const changePassword = statement({
  name: 'password-change',
  columns: changedColumns,
  params: { accountId: param.text(), hash: param.text(), before: param.timestamptz() },
  text: `update passwords set hash = :hash, changed_at = now() where account_id = :accountId and changed_at = :before
    returning ${changedColumns.sql}`,
})

/** Another hash of the same password: it was not changed, so no session ends and the time stays. Its row is held. */
export const keepHash = statement({
  name: 'password-keep',
  params: { accountId: param.text(), hash: param.text() },
  text: 'update passwords set hash = :hash where account_id = :accountId',
})

/** A reset with a passkey: the lost password no longer signs anyone in. */
export const dropPassword = statement({
  name: 'password-drop',
  params: { accountId: param.text() },
  text: 'delete from passwords where account_id = :accountId',
})

/**
 * Stores the hash of a password in the place of that of the time `before`, or of none; null if that has changed
 * meanwhile. Returns when, RFC 3339.
 */
export async function replacePassword(
  tx: Querier,
  { accountId, hash, before }: { readonly accountId: string; readonly hash: string; readonly before: string | null },
): Promise<string | null> {
  const [row] =
    before === null
      ? await tx.query(addPassword, { accountId, hash })
      : await tx.query(changePassword, { accountId, hash, before })
  return row?.changedAt ?? null
}
