/**
 * What a link to the page of an account says of it in a chat: facts that anyone may read. One that owns nothing public,
 * or that the operator keeps out, is the same as none.
 */
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { avatarPath } from './avatar-objects.ts'

/** Repos that are looked at, the newest first; of an account with more, numbers would be wrong. */
const MOST_REPOS = 1000

const ofKind = (kind: string) => `count(*) filter (where l.visibility = 'public' and l.kind = '${kind}')::int`

const sharedColumns = columns({
  id: column.text('a.id'),
  kind: column.enum('AccountKind', 'a.kind'),
  handle: column.text('a.handle'),
  name: column.text.orNull('a.name'),
  avatarKey: column.text.orNull('a.avatar_key'),
  datasets: column.int4('c.datasets'),
  models: column.int4('c.models'),
  robots: column.int4('c.robots'),
  /** Whether every repo of the account was looked at. */
  areAll: column.bool(`c.repos < ${MOST_REPOS}`),
})

/** An account in the head of its page, with how many public repos of each kind it owns. */
export interface SharedAccount extends Omit<RowOf<typeof sharedColumns>, 'id' | 'avatarKey'> {
  /** The path of its picture; null without one. */
  readonly avatar: string | null
}

const sharedAccount = statement({
  name: 'account-shared',
  exact: 'aggregate',
  columns: sharedColumns,
  params: { handle: param.text() },
  text: `select ${sharedColumns.sql} from accounts a cross join lateral (
      select count(*)::int as repos, ${ofKind('dataset')} as datasets, ${ofKind('model')} as models,
        ${ofKind('robot')} as robots
      from (select r.kind, r.visibility from repos r where r.owner_id = a.id
        order by r.updated_at desc, r.id desc limit ${MOST_REPOS}) l) c
    where a.handle = :handle and a.disabled_at is null and c.datasets + c.models + c.robots > 0`,
})

/** The account of this handle, if it owns something public; null for any other. One statement. */
export async function findSharedAccount(querier: Querier, handle: string): Promise<SharedAccount | null> {
  const [found] = await querier.query(sharedAccount, { handle })
  if (!found) return null
  const { id, avatarKey, ...facts } = found
  return { ...facts, avatar: avatarPath(id, avatarKey) }
}
