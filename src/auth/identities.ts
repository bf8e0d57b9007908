/** Maps users of the identity provider to accounts. A user is identified by issuer and subject. */
import { audit, noViewer } from '../operation/audit.ts'
import { HubError } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier, Tx } from '../store/db.ts'
import { insertInto } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { handleFault, takeHandle } from './handle.ts'

/** A person's claims from a verified token. `proposedHandle` is used only when the account is created. */
export interface Person {
  readonly issuer: string
  readonly subject: string
  readonly proposedHandle: string | null
  readonly name: string | null
}

const lockPerson = statement({
  name: 'identity-lock',
  params: { identity: param.text() },
  text: 'select pg_advisory_xact_lock(hashtextextended(:identity, 0))',
})
const idColumn = columns({ id: column.text('account_id') })

const findPerson = statement({
  name: 'identity-find',
  exact: 'in-transaction',
  columns: idColumn,
  params: { issuer: param.text(), subject: param.text() },
  text: `select ${idColumn.sql} from identities where issuer = :issuer and subject = :subject`,
})

const identityRow = insertInto('identities', {
  issuer: param.text(),
  subject: param.text(),
  accountId: param.text(),
})

const insertPerson = statement({
  name: 'identity-insert',
  params: identityRow.params,
  text: identityRow.sql,
})

/** The account id of a person; null before the account is created. */
async function findIdentity(querier: Querier, person: Person): Promise<string | null> {
  const [account] = await querier.query(findPerson, { issuer: person.issuer, subject: person.subject })
  return account?.id ?? null
}

/**
 * The account id of a person, created on first use. 409 `auth.handle_taken` if the handle is missing, invalid, reserved
 * or taken: the caller chooses another. Concurrent first requests of one person create one account.
 */
export async function accountOfPerson(tx: Tx, person: Person): Promise<string> {
  const known = await findIdentity(tx, person)
  if (known !== null) return known
  await tx.query(lockPerson, { identity: JSON.stringify([person.issuer, person.subject]) })
  const made = await findIdentity(tx, person)
  if (made !== null) return made
  const handle = person.proposedHandle ?? ''
  const name = person.name?.replaceAll('\0', '').slice(0, 200).toWellFormed() || null
  const account = handleFault(handle) === null ? await takeHandle(tx, 'user', handle, name) : null
  if (account === null) throw chooseHandle(handle)
  await tx.query(insertPerson, { issuer: person.issuer, subject: person.subject, accountId: account.id })
  const after = { handle, issuer: person.issuer }
  await audit(tx, noViewer, { action: 'user.create', accountId: account.id, targetId: account.id, after })
  return account.id
}

function chooseHandle(handle: string): HubError {
  const reason = handleFault(handle) === null ? 'is taken' : 'cannot be a handle'
  const proposed =
    handle === ''
      ? 'Your identity provider proposes no handle'
      : `The handle ${JSON.stringify(handle.slice(0, 64))} ${reason}`
  return new HubError(
    'auth.handle_taken',
    `${proposed}: choose another by POST /auth/handle with {"handle": "…"} and the same credential, or sign in at /auth/login.`,
  )
}
