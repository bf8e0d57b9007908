/** The audit log: append-only rows of who did what to what, written in the same transaction as the change. */

import { newId } from '@hub/formats/ids'
import type { Querier } from '../store/db.ts'
import { insertInto } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import type { Viewer } from './context.ts'

/** The request facts in an audit row. Operator commands and background jobs have no viewer. */
export interface AuditContext {
  readonly requestId: string | null
  readonly viewer: Viewer | null
}

/**
 * `action` is `<subject>.<verb>`, such as `repo.delete`; `before` and `after` contain the changed values, never a
 * secret.
 */
export interface AuditEntryInput {
  readonly action: string
  /** The account whose auditLog lists the entry. */
  readonly accountId: string | null
  readonly targetId: string
  /** The person who decided it earlier, for a request without a credential. */
  readonly actorId?: string | null
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
}

/** For operator commands and jobs, which have no viewer. */
export const noViewer: AuditContext = { requestId: null, viewer: null }

const auditLogRow = insertInto('audit_log', {
  id: param.text(),
  action: param.text(),
  accountId: param.text.orNull(),
  actorId: param.text.orNull(),
  credentialId: param.text.orNull(),
  requestId: param.text.orNull(),
  targetId: param.text(),
  /** JSON, as is `after`. */
  before: param.jsonb(),
  after: param.jsonb(),
})

const insertEntry = statement({
  name: 'audit-insert',
  params: auditLogRow.params,
  text: auditLogRow.sql,
})

/** Appends one row in the caller's transaction, so that it commits together with the change. */
export async function audit(tx: Querier, ctx: AuditContext, entry: AuditEntryInput): Promise<void> {
  const viewer = ctx.viewer?.kind === 'anonymous' ? null : ctx.viewer
  await tx.query(insertEntry, {
    id: newId('aud'),
    action: entry.action,
    accountId: entry.accountId,
    actorId: viewer?.personId ?? entry.actorId ?? null,
    credentialId: viewer?.credentialId ?? null,
    requestId: ctx.requestId,
    targetId: entry.targetId,
    before: JSON.stringify(entry.before ?? {}),
    after: JSON.stringify(entry.after ?? {}),
  })
}
