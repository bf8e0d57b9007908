/** Handles: one namespace for users and orgs. Contract, "Accounts and orgs". */

import { newId } from '@hub/formats/ids'
import { handleText } from '@hub/formats/text-rules'
import type { AccountRef } from '../operation/context.ts'
import { HubError, invalid } from '../platform/errors.ts'
import type { Querier, Statement } from '../store/db.ts'

/** First segments of the hub's own URLs, and words that look like them. */
const reservedHandles: ReadonlySet<string> = new Set([
  'v1',
  'graphql',
  'admin',
  'api',
  'auth',
  'docs',
  'health',
  'metrics',
  'objects',
  'orgs',
  'users',
  'me',
  'settings',
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

/** An account as returned by verbs: plain JSON, dates RFC 3339. */
export interface Account extends AccountRef {
  readonly createdAt: string
}

const accountColumns = `id, kind, handle, name, created_at as "createdAt"`

const insertAccount: Statement<Account> = {
  name: 'account-insert',
  text: `insert into accounts (id, kind, handle, name) values ($1, $2, $3, $4)
    on conflict (handle) do nothing returning ${accountColumns}`,
}

export const accountByHandle: Statement<Account> = {
  name: 'account-by-handle',
  text: `select ${accountColumns} from accounts where handle = $1`,
}

/** Inserts an account; null if the handle is in use. Waits for an open transaction that has inserted it. */
export async function takeHandle(
  tx: Querier,
  kind: AccountRef['kind'],
  handle: string,
  name: string | null,
): Promise<Account | null> {
  const [account] = await tx.query(insertAccount, [newId(kind), kind, handle, name])
  return account ?? null
}

/** 409 `conflict.taken` at `handle`. */
export function handleTaken(handle: string): HubError {
  return new HubError('conflict.taken', `The handle ${handle} is taken.`, {
    items: [{ type: 'conflict.taken', detail: `The handle ${handle} is taken.`, loc: ['handle'] }],
  })
}
