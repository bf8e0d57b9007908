/**
 * Passkeys as rows. The lock of the person's account orders what changes their ways to sign in: an addition, a removal,
 * a reset, and a sign-in with a passkey.
 */
import { newId } from '@hub/formats/ids'
import { type AuditContext, audit } from '../../operation/audit.ts'
import { HubError } from '../../platform/errors.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { insertInto } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'

/** Of one person: more are not told apart, and the browser is sent all of them. */
export const MAX_PASSKEYS = 20

/** What a device made, as it is kept. */
export interface NewPasskey {
  readonly rpId: string
  readonly credentialId: Buffer
  readonly publicKey: Buffer
  readonly userHandle: Buffer
  readonly counter: number
  readonly transports: readonly string[]
  readonly name: string
  readonly backedUp: boolean
}

const idColumn = columns({ id: column.text('id') })

const lockRow = statement({
  name: 'passkeys-lock',
  columns: idColumn,
  params: { accountId: param.text() },
  text: `select ${idColumn.sql} from accounts where id = :accountId for no key update`,
})

/** Waits for other changes of the person's ways to sign in, and holds later ones back until the transaction ends. */
export async function lockSignInWays(tx: Querier, accountId: string): Promise<void> {
  await tx.query(lockRow, { accountId })
}

const knownColumns = columns({
  id: column.text('p.id'),
  accountId: column.text('p.account_id'),
  credentialId: column.bytea('p.credential_id'),
  publicKey: column.bytea('p.public_key'),
  userHandle: column.bytea('p.user_handle'),
})

export type KnownPasskey = RowOf<typeof knownColumns>

export const passkeyByCredential = statement({
  name: 'passkey-by-credential',
  exact: 'each-request',
  columns: knownColumns,
  params: { credentialId: param.bytea(), rpId: param.text() },
  text: `select ${knownColumns.sql} from passkeys p where p.credential_id = :credentialId and p.rp_id = :rpId`,
})

const ownColumns = columns({
  id: column.text('p.id'),
  rpId: column.text('p.rp_id'),
  credentialId: column.bytea('p.credential_id'),
  userHandle: column.bytea('p.user_handle'),
  transports: column.texts.orNull('p.transports'),
  name: column.text('p.name'),
})

export type OwnPasskey = RowOf<typeof ownColumns>

export const passkeysOf = statement({
  name: 'passkeys-of',
  exact: 'each-request',
  columns: ownColumns,
  params: { accountId: param.text() },
  text: `select ${ownColumns.sql} from passkeys p where p.account_id = :accountId order by p.id`,
})

const usedColumns = columns({ counter: column.int8('p.counter') })

/** One signature more: a count that does not grow is of a copy, except 0, which is of a device that counts nothing. */
export const usePasskey = statement({
  name: 'passkey-use',
  columns: usedColumns,
  params: { id: param.text(), counter: param.int8(), backedUp: param.bool() },
  text: `update passkeys p set counter = :counter, backed_up = :backedUp, last_used_at = now()
    where p.id = :id and (p.counter < :counter or (p.counter = 0 and :counter = 0)) returning ${usedColumns.sql}`,
})

export const counterOf = statement({
  name: 'passkey-counter',
  exact: 'in-transaction',
  columns: usedColumns,
  params: { id: param.text() },
  text: `select ${usedColumns.sql} from passkeys p where p.id = :id`,
})

const countColumn = columns({ count: column.int4('count(*)::int') })
const countOf = statement({
  name: 'passkeys-count',
  exact: 'in-transaction',
  columns: countColumn,
  params: { accountId: param.text() },
  text: `select ${countColumn.sql} from passkeys where account_id = :accountId`,
})

const passkeyRow = insertInto('passkeys', {
  id: param.text(),
  accountId: param.text(),
  rpId: param.text(),
  credentialId: param.bytea(),
  publicKey: param.bytea(),
  userHandle: param.bytea(),
  counter: param.int8(),
  transports: param.texts(),
  name: param.text(),
  backedUp: param.bool(),
})
const insertPasskey = statement({
  name: 'passkey-insert',
  columns: idColumn,
  params: passkeyRow.params,
  text: `${passkeyRow.sql} on conflict (credential_id) do nothing returning ${idColumn.sql}`,
})

/**
 * Adds a passkey to an account whose ways to sign in are locked, and tells the audit log; `by` is the kind of the link.
 * Returns its id. Errors: 409 `conflict.taken` for one that is here already, 429 `quota.passkeys`.
 */
export async function storePasskey(
  tx: Querier,
  ctx: AuditContext,
  { accountId, passkey, by }: { readonly accountId: string; readonly passkey: NewPasskey; readonly by?: string },
): Promise<string> {
  const [own] = await tx.query(countOf, { accountId })
  assertRoom(own?.count ?? 0)
  const [added] = await tx.query(insertPasskey, { ...passkey, id: newId('passkey'), accountId })
  if (!added) throw new HubError('conflict.taken', 'This passkey is here already. Choose another device.')
  const { name, rpId, backedUp } = passkey
  await audit(tx, ctx, {
    action: 'passkey.add',
    accountId,
    targetId: added.id,
    after: { name, rpId, backedUp, by },
  })
  return added.id
}

/** 429 `quota.passkeys` for a person who has as many as may be. */
export function assertRoom(used: number): void {
  if (used < MAX_PASSKEYS) return
  throw new HubError('quota.passkeys', `You have ${used} passkeys, and ${MAX_PASSKEYS} at most. Remove one first.`, {
    facts: { unit: 'passkeys', limit: MAX_PASSKEYS, used },
  })
}

export const renameRow = statement({
  name: 'passkey-rename',
  columns: idColumn,
  params: { id: param.text(), accountId: param.text(), name: param.text() },
  text: `update passkeys set name = :name where id = :id and account_id = :accountId returning ${idColumn.sql}`,
})

export const removeRow = statement({
  name: 'passkey-remove',
  columns: idColumn,
  params: { id: param.text(), accountId: param.text() },
  text: `delete from passkeys where id = :id and account_id = :accountId returning ${idColumn.sql}`,
})

const removeAll = statement({
  name: 'passkeys-remove',
  columns: idColumn,
  params: { accountId: param.text() },
  text: `delete from passkeys where account_id = :accountId returning ${idColumn.sql}`,
})

/** Removes all passkeys of an account whose ways to sign in are locked; returns how many. */
export async function removePasskeys(tx: Querier, accountId: string): Promise<number> {
  return (await tx.query(removeAll, { accountId })).length
}

const wayColumns = columns({
  passkeys: column.int4(
    '(select count(*) from passkeys p where p.account_id = a.id and (:rpId::text is null or p.rp_id = :rpId))::int',
  ),
  hasPassword: column.bool('exists (select from passwords w where w.account_id = a.id)'),
  hasIdentity: column.bool('exists (select from identities i where i.account_id = a.id and i.issuer = :issuer)'),
})

export type SignInWaysOf = RowOf<typeof wayColumns>

/** How a person can sign in: passkeys of one host or of all, a password, and the identity provider. */
export const waysOf = statement({
  name: 'sign-in-ways-of',
  exact: 'in-transaction',
  columns: wayColumns,
  params: { accountId: param.text(), rpId: param.text.orNull(), issuer: param.text.orNull() },
  text: `select ${wayColumns.sql} from accounts a where a.id = :accountId`,
})
