/** `viewer` and `GET /v1/me`: the current credential, in one statement. */
import { readAccount } from '../auth/account-json.ts'
import { requireCredential } from '../auth/policy.ts'
import type { AccountRef, RequestContext, ScopeLevel } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import { listOf, objectOf, orNull, text, texts } from '../store/read-json.ts'
import { param, statement } from '../store/statement.ts'
import { sparesSql } from './spares-sql.ts'

export interface Me {
  readonly kind: 'key' | 'session'
  readonly credentialId: string
  readonly name: string | null
  readonly account: AccountRef
  readonly person: { readonly id: string; readonly handle: string; readonly name: string | null } | null
  readonly orgs: readonly AccountRef[]
  readonly scope: ScopeLevel
  readonly session: boolean
  readonly repos: readonly string[] | null
  readonly agent: boolean
  readonly dailyGpuHourQuota: number | null
  /** The person's own, for a session alone. */
  readonly email: string | null
  readonly expiresAt: string | null
  readonly storage: { readonly usedBytes: number; readonly reservedBytes: number; readonly quotaBytes: number }
  readonly rateLimitPerMinute: number
}

const factColumns = columns({
  used: column.int8(`a.storage_bytes - ${sparesSql('a.id')}`),
  reserved: column.int8('a.reserved_bytes'),
  email: column.text.orNull('a.email'),
  person: column.json.orNull(
    "(select json_build_object('id', p.id, 'handle', p.handle, 'name', p.name) from accounts p where p.id = :personId)",
    objectOf<NonNullable<Me['person']>>({ id: text, handle: text, name: orNull(text) }),
  ),
  orgs: column.json(
    `(select coalesce(json_agg(json_build_object('id', o.id, 'kind', o.kind, 'handle', o.handle, 'name', o.name)
      order by o.handle), '[]') from accounts o where o.id = any(:accountIds::text[]) and o.kind = 'org')`,
    listOf(readAccount),
  ),
  repos: column.json(
    `(select coalesce(json_agg(ro.handle || '/' || r.slug order by ro.handle, r.slug), '[]')
      from repos r join accounts ro on ro.id = r.owner_id where r.id = any(:repoIds::text[]))`,
    texts,
  ),
})

const facts = statement({
  name: 'me',
  exact: 'each-request',
  columns: factColumns,
  params: {
    accountId: param.text(),
    personId: param.text.orNull(),
    accountIds: param.texts(),
    repoIds: param.texts(),
  },
  text: `select ${factColumns.sql} from accounts a where a.id = :accountId`,
})

/** The credential's account, scope and limits. Errors: 401. */
export async function readMe(ctx: RequestContext): Promise<Me | null> {
  const viewer = requireCredential(ctx.viewer)
  const [row] = await ctx.deps.db.query(facts, {
    accountId: viewer.account.id,
    personId: viewer.personId,
    accountIds: viewer.accountIds,
    repoIds: viewer.repoIds ?? [],
  })
  if (!row) return null
  const { config } = ctx.deps
  return {
    kind: viewer.kind,
    credentialId: viewer.credentialId,
    name: viewer.name,
    account: viewer.account,
    person: row.person,
    orgs: row.orgs,
    scope: viewer.level,
    session: viewer.kind === 'session',
    repos: viewer.repoIds === null ? null : row.repos,
    agent: viewer.agent,
    dailyGpuHourQuota: viewer.dailyGpuHourQuota === null ? null : Number(viewer.dailyGpuHourQuota),
    email: viewer.kind === 'session' ? row.email : null,
    expiresAt: viewer.expiresAt,
    storage: { usedBytes: row.used, reservedBytes: row.reserved, quotaBytes: config.storageQuotaBytes },
    rateLimitPerMinute: config.rateLimitPerMinute,
  }
}
