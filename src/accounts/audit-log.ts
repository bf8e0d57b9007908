/** auditLog(account): what was done in an account's name, newest first, for its people. */
import { assertMember, assertSession } from '../auth/policy.ts'
import type { AccountRef, RequestContext } from '../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../platform/page.ts'
import type { Statement } from '../store/db.ts'
import { findAccount } from './find-account.ts'

/** `actor` is the person behind the credential: null for the operator's command line and background work. `at` RFC 3339. */
export interface AuditEntry {
  readonly id: string
  readonly at: string
  readonly action: string
  readonly actor: AccountRef | null
  readonly credentialId: string | null
  readonly requestId: string | null
  readonly targetId: string
  readonly before: Readonly<Record<string, unknown>>
  readonly after: Readonly<Record<string, unknown>>
}

const readEntries: Statement<AuditEntry> = {
  name: 'audit-page',
  text: `select l.id, l.at, l.action, l.credential_id as "credentialId", l.request_id as "requestId", l.target_id as "targetId", l.before, l.after,
      case when p.id is not null then json_build_object('id', p.id, 'kind', p.kind, 'handle', p.handle, 'name', p.name) end as actor
    from audit_log l left join accounts p on p.id = l.actor_id
    where l.account_id = $1 and ($2::text is null or l.id < $2) order by l.id desc limit $3`,
}

/** One page of an account's audit log, by session. Errors: 401, 403 for a key or one who is not of the account, 404, 422 cursor. */
export async function auditLog(
  ctx: RequestContext,
  input: { readonly account: string; readonly first?: number | null; readonly after?: string | null },
): Promise<Page<AuditEntry>> {
  assertSession(ctx.viewer)
  const account = await findAccount(ctx.deps.db, input.account)
  assertMember(ctx.viewer, account)
  const listing = `audit:${account.id}`
  const [before] = input.after ? decodeCursor<[string]>(listing, input.after, [idPart('aud')]) : [null]
  const limit = input.first ?? 20
  const rows = await ctx.deps.db.query(readEntries, [account.id, before, limit + 1])
  const cursorOf = (entry: AuditEntry) => encodeCursor(listing, [entry.id])
  return { nodes: rows.slice(0, limit), hasNextPage: rows.length > limit, cursorOf }
}
