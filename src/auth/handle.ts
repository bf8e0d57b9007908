/** Handles: one namespace for users and orgs. Contract, "Accounts and orgs". */

import { newId } from '@hub/formats/ids'
import { handleText } from '@hub/formats/text-rules'
import type { AccountRef } from '../operation/context.ts'
import { HubError, invalid } from '../platform/errors.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { insertInto } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'

/** First segments of the URLs of other clients, where a repo of an account with this handle would hide. */
const clientNames = ['api', 'datasets', 'models', 'spaces']

/** First segments of the hub's own URLs, and words that look like them. */
const reservedHandles: ReadonlySet<string> = new Set([
  'v1',
  'graphql',
  'admin',
  'auth',
  'docs',
  'health',
  'metrics',
  'objects',
  'orgs',
  'users',
  'me',
  'settings',
  ...clientNames,
])

export type HandleFault = 'ill_formed' | 'reserved'

/** Why a handle is invalid; null if it is valid. */
export function handleFault(handle: string): HandleFault | null {
  if (!handleText.safeParse(handle).success) return 'ill_formed'
  return reservedHandles.has(handle) ? 'reserved' : null
}

/** 422 at `input.handle` for an invalid or reserved handle. */
export function assertHandle(handle: string): void {
  const fault = handleFault(handle)
  if (fault === 'reserved') throw invalid('validation.value', `The handle ${handle} is reserved.`, ['handle'])
  if (fault === 'ill_formed') {
    const rule = '1 to 64 lower-case letters, digits and inner hyphens'
    throw invalid('validation.value', `A handle is ${rule}.`, ['handle'])
  }
}

const accountColumns = columns({
  id: column.text('id'),
  kind: column.enum('AccountKind', 'kind'),
  handle: column.text('handle'),
  name: column.text.orNull('name'),
  createdAt: column.timestamptz('created_at'),
})

/** An account as returned by verbs: plain JSON, dates RFC 3339. */
export type Account = RowOf<typeof accountColumns>

const accountRow = insertInto('accounts', {
  id: param.text(),
  kind: param.enum('AccountKind'),
  handle: param.text(),
  name: param.text.orNull(),
})

const insertAccount = statement({
  name: 'account-insert',
  columns: accountColumns,
  params: accountRow.params,
  text: `${accountRow.sql} on conflict (handle) do nothing returning ${accountColumns.sql}`,
})

export const accountByHandle = statement({
  name: 'account-by-handle',
  exact: 'each-request',
  columns: accountColumns,
  params: { handle: param.text() },
  text: `select ${accountColumns.sql} from accounts where handle = :handle`,
})

/** Handles that were taken before they were reserved: other clients cannot reach the repos of these accounts. */
export async function takenClientNames(querier: Querier): Promise<string[]> {
  const found = await Promise.all(clientNames.map((handle) => querier.query(accountByHandle, { handle })))
  return found.flat().map(({ handle }) => handle)
}

/** Inserts an account; null if the handle is in use. Waits for an open transaction that has inserted it. */
export async function takeHandle(
  tx: Querier,
  kind: AccountRef['kind'],
  handle: string,
  name: string | null,
): Promise<Account | null> {
  const [account] = await tx.query(insertAccount, { id: newId(kind), kind, handle, name })
  return account ?? null
}

/** 409 `conflict.taken` at `handle`. */
export function handleTaken(handle: string): HubError {
  return new HubError('conflict.taken', `The handle ${handle} is taken.`, {
    items: [{ type: 'conflict.taken', detail: `The handle ${handle} is taken.`, loc: ['handle'] }],
  })
}
