/**
 * The mark of a restore that has not ended, which keeps hubs off the database.
 * docs/decisions/operations.md, "A hub that comes back during a restore gets no connection".
 */
import type pg from 'pg'
import { HubError } from '../platform/errors.ts'

/** Where a restore notes that it is in progress, from before its first change to after its last. */
export const RESTORE_MARK = 'hub_restore.mark'

/** A restore did not finish: what the database has is not what it will have. */
export class UnfinishedRestoreError extends Error {
  constructor() {
    super('A restore of this hub did not finish: run `hub backup restore` again with the same backup.')
  }
}

/** Whether a restore into this database has begun and not ended. */
export async function isBeingRestored(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [RESTORE_MARK])
  return rows[0]?.there === true
}

/** Throws `UnfinishedRestoreError` while a restore is in progress. */
export async function refuseDuringRestore(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  if (await isBeingRestored(client)) throw new UnfinishedRestoreError()
}

/** Of each new connection of a running hub, before its first use: 503 `unavailable` while a restore is in progress. */
async function onConnect(client: pg.ClientBase): Promise<void> {
  if (!(await isBeingRestored(client))) return
  const facts = { retryAfterS: 60 }
  throw new HubError('unavailable', 'The hub is being restored from a backup; try again later.', { facts })
}

/** Settings of a pool. It waits for the promise, which its types do not say. */
export const keptOffRestores = { onConnect: onConnect as (client: pg.ClientBase) => void }
