/**
 * The API key of one hosted job: belongs to its owner, works only for that job, and is revoked when the job ends. Spec,
 * "Authentication".
 */

import { newKeyToken, tokenDigest } from '../auth/api-key.ts'
import { type AuditContext, audit, noViewer } from '../operation/audit.ts'
import type { ScopeLevel } from '../operation/context.ts'
import type { Tx } from '../store/db.ts'
import { insertInto, sql } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'

const apiKeyRow = insertInto('api_keys', {
  id: param.text(),
  accountId: param.text(),
  createdBy: param.text.orNull(),
  name: sql(':jobId'),
  scope: param.enum('KeyScope'),
  tokenSha256: param.bytea(),
  limited: true,
  repoIds: param.texts(),
  /** Also the name of the key. */
  jobId: param.text(),
  madeWith: param.text.orNull(),
})

const insertJobKey = statement({
  name: 'api-key-insert-job',
  params: apiKeyRow.params,
  text: apiKeyRow.sql,
})

/** The job that a key is created for, and its owner. */
export interface JobKeyOwner {
  readonly id: string
  readonly ownerId: string
  readonly createdBy: string | null
  /** The repos that it may write. */
  readonly repoIds: readonly string[]
  /** Who asked for it; no one for a job that the hub dispatches itself. */
  readonly by?: AuditContext
  /** The credential that asked for it: the key ends with it. */
  readonly madeWith?: string
}

/**
 * Creates the key and returns its token, which is not stored. The repos in its row are writable; repos that the job
 * names are readable in addition.
 */
export async function mintJobKey(tx: Tx, job: JobKeyOwner, id: string, scope: ScopeLevel): Promise<string> {
  const token = newKeyToken()
  await tx.query(insertJobKey, {
    id,
    accountId: job.ownerId,
    createdBy: job.createdBy,
    tokenSha256: tokenDigest(token),
    repoIds: job.repoIds,
    jobId: job.id,
    madeWith: job.madeWith ?? null,
    scope,
  })
  await audit(tx, job.by ?? noViewer, {
    action: 'key.create',
    accountId: job.ownerId,
    targetId: id,
    after: { name: job.id, scope, repoIds: job.repoIds, jobId: job.id },
  })
  return token
}
