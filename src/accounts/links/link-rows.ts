/** Links that work once, as rows: the token is in the fragment of the link, and only its digest is here. */
import { randomBytes } from 'node:crypto'
import { newId } from '@hub/formats/ids'
import { tokenDigest } from '../../auth/api-key.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { insertInto, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import type { OrgRole } from '../org-members.ts'

/** How long each kind of link lasts. */
const ttlSeconds = { setup: 3600, invitation: 7 * 86_400, reset: 3600 } as const

export type LinkKind = keyof typeof ttlSeconds

/** A link as it is shown once, to the one who made it. */
export interface MadeLink {
  readonly id: string
  /** Path and fragment, below the address of the hub. */
  readonly path: string
  readonly expiresAt: string
}

const TOKEN_BYTES = 32

const expiresAtColumn = columns({ expiresAt: column.timestamptz('expires_at') })
const linkRow = insertInto('link_tokens', {
  id: param.text(),
  kind: param.enum('LinkKind'),
  tokenSha256: param.bytea(),
  accountId: param.text.orNull(),
  orgId: param.text.orNull(),
  role: param.enum.orNull('OrgRole'),
  createdBy: param.text.orNull(),
  expiresAt: sql('now() + make_interval(secs => :ttlSeconds)', { ttlSeconds: param.float8() }),
})
const insertLink = statement({
  name: 'link-insert',
  columns: expiresAtColumn,
  params: linkRow.params,
  text: `${linkRow.sql} returning ${expiresAtColumn.sql}`,
})

/** Adds a link and returns its token, in the path that leads to the page where it is redeemed. */
export async function addLink(
  tx: Querier,
  link: {
    readonly kind: LinkKind
    readonly accountId: string | null
    readonly orgId: string | null
    readonly role: OrgRole | null
    readonly createdBy: string | null
  },
): Promise<MadeLink> {
  const id = newId('link')
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const tokenSha256 = tokenDigest(token)
  const [row] = await tx.query(insertLink, { ...link, id, tokenSha256, ttlSeconds: ttlSeconds[link.kind] })
  return { id, path: `/redeem#${token}`, expiresAt: row?.expiresAt ?? '' }
}

const linkColumns = columns({
  id: column.text('l.id'),
  kind: column.enum('LinkKind', 'l.kind'),
  accountId: column.text.orNull('l.account_id'),
  handle: column.text.orNull('(select a.handle from accounts a where a.id = l.account_id)'),
  passwordChangedAt: column.timestamptz.orNull(
    '(select p.changed_at from passwords p where p.account_id = l.account_id)',
  ),
  orgId: column.text.orNull('l.org_id'),
  org: column.text.orNull('(select o.handle from accounts o where o.id = l.org_id)'),
  role: column.enum.orNull('OrgRole', 'l.role'),
  createdBy: column.text.orNull('l.created_by'),
  expiresAt: column.timestamptz('l.expires_at'),
})

export type Link = RowOf<typeof linkColumns>

/** A link that still works, by the digest of its token. */
export const openLink = statement({
  name: 'link-by-digest',
  exact: 'each-request',
  columns: linkColumns,
  params: { tokenSha256: param.bytea() },
  text: `select ${linkColumns.sql} from link_tokens l
    where l.token_sha256 = :tokenSha256 and l.ended_at is null and l.expires_at > now()`,
})

const idColumn = columns({ id: column.text('id') })

/** Ends a link. No row: it was redeemed, withdrawn or has expired meanwhile. */
export const endLink = statement({
  name: 'link-end',
  columns: idColumn,
  params: { id: param.text() },
  text: `update link_tokens set ended_at = now() where id = :id and ended_at is null and expires_at > now()
    returning ${idColumn.sql}`,
})

/** Ends what else would set how the person of an account signs in. */
export const endLinksOfAccount = statement({
  name: 'link-end-of-account',
  params: { accountId: param.text() },
  text: 'update link_tokens set ended_at = now() where account_id = :accountId and ended_at is null',
})

/** Ends what a person has invited others by. */
export const endInvitationsBy = statement({
  name: 'link-end-invitations',
  params: { createdBy: param.text() },
  text: `update link_tokens set ended_at = now() where created_by = :createdBy and kind = 'invitation'
    and ended_at is null`,
})

const openCount = columns({ count: column.int8('count(*)') })

/** How many invitations into an org wait; of the hub's own, those of one person. */
export const countInvitations = statement({
  name: 'link-count-invitations',
  exact: 'in-transaction',
  columns: openCount,
  params: { orgId: param.text.orNull(), createdBy: param.text.orNull() },
  text: `select ${openCount.sql} from link_tokens where kind = 'invitation' and ended_at is null and expires_at > now()
    and case when :orgId::text is null then org_id is null and created_by = :createdBy else org_id = :orgId end`,
})
