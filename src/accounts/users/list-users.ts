/** users: everyone who has an account, for the operator. */
import { DEFAULT_PAGE_SIZE, handleText } from '@hub/formats/text-rules'
import type { RequestContext } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor, type KeyPart, type Page } from '../../platform/page.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { assertOperator } from '../operator-only.ts'

const userColumns = columns({
  id: column.text('u.id'),
  kind: column.enum('AccountKind', 'u.kind'),
  handle: column.text('u.handle'),
  name: column.text.orNull('u.name'),
  createdAt: column.timestamptz('u.created_at'),
  disabledAt: column.timestamptz.orNull('u.disabled_at'),
  hasPassword: column.bool('exists (select from passwords p where p.account_id = u.id)'),
  hasPasskey: column.bool('exists (select from passkeys k where k.account_id = u.id)'),
  hasIdentity: column.bool('exists (select from identities i where i.account_id = u.id)'),
  /** Of the newest session. */
  lastSignInAt: column.timestamptz.orNull(
    '(select s.created_at from sessions s where s.account_id = u.id order by s.account_id, s.id desc limit 1)',
  ),
})

/** A user as the operator sees them. */
export type ListedUser = RowOf<typeof userColumns>

/** No character of a handle comes after it. */
const LAST = '~'

/** Along the index of handles, whose order is that of bytes, from the first handle that the page may have. */
const usersByHandle = statement({
  name: 'users-by-handle',
  exact: 'per-parent',
  columns: userColumns,
  params: { after: param.text(), from: param.text(), before: param.text(), limit: param.int8() },
  text: `select ${userColumns.sql} from (select * from accounts a where a.kind = 'user' and a.handle > :after
      and a.handle >= :from and a.handle < :before order by a.handle limit :limit) u
    order by u.handle`,
})

/** One user, in the transaction that has changed them. */
const userById = statement({
  name: 'user-by-id',
  exact: 'in-transaction',
  columns: userColumns,
  params: { id: param.text() },
  text: `select ${userColumns.sql} from accounts u where u.id = :id`,
})

/** The user as the operator sees them. */
export async function readUser(tx: Querier, id: string): Promise<ListedUser> {
  const [user] = await tx.query(userById, { id })
  if (!user) throw notFound('The user')
  return user
}

const isHandle = (part: KeyPart): part is string => handleText.safeParse(part).success

interface UsersInput {
  /** How handles begin. */
  readonly q: string | null
  readonly limit: number | null
  readonly after: string | null
}

/**
 * A page of users by handle, one statement. Errors: 401, 403 for all but the operator, 422 for a cursor of another
 * search.
 */
export async function listUsers(ctx: RequestContext, { q, limit, after }: UsersInput): Promise<Page<ListedUser>> {
  assertOperator(ctx.viewer, ctx.deps.config)
  const from = (q ?? '').trim().toLowerCase().replace(/^@/, '')
  const listing = `users:${from}`
  const [last] = after === null ? [''] : decodeCursor<[string]>(listing, after, [isHandle])
  const size = limit ?? DEFAULT_PAGE_SIZE
  const values = { after: last, from, before: `${from}${LAST}`, limit: size + 1 }
  const rows = await ctx.deps.db.query(usersByHandle, values)
  const cursorOf = ({ handle }: ListedUser) => encodeCursor(listing, [handle])
  return { nodes: rows.slice(0, size), hasNextPage: rows.length > size, cursorOf }
}
