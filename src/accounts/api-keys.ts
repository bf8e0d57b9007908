/**
 * API keys: created by a person for themselves or one of their orgs, shown once, revoked permanently.
 * Contract, "Credentials".
 */

import { isId, newId } from '@hub/formats/ids'
import { keyNameText } from '@hub/formats/text-rules'
import { newKeyToken, tokenDigest } from '../auth/api-key.ts'
import { assertMember, assertNotJob, assertOrgOwner, assertSession } from '../auth/policy.ts'
import { type AuditContext, audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AccountRef, AllowedContext, RequestContext, ScopeLevel } from '../operation/context.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { insertInto } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { findAccount } from './find-account.ts'
import { assertStillInOrg } from './org-members.ts'

/** A new key with its token. `repos`: full names of the only repos it may access, or null. Times are RFC 3339. */
export interface CreatedApiKey {
  readonly id: string
  readonly name: string
  readonly owner: AccountRef
  readonly scope: ScopeLevel
  readonly repos: readonly string[] | null
  readonly agent: boolean
  readonly dailyGpuHourQuota: number | null
  readonly expiresAt: string | null
  readonly createdAt: string
  readonly token: string
}

export interface NewApiKey {
  readonly name: string
  readonly scope: ScopeLevel
  readonly repos?: readonly string[] | null
  readonly agent?: boolean | null
  /** GPU hours per day, up to 4 decimals. */
  readonly dailyGpuHourQuota?: number | null
  /** RFC 3339, in the future. */
  readonly expiresAt?: string | null
}

/** The facts that decide who can revoke a key. */
interface KeyRow {
  readonly id: string
  readonly name: string
  readonly createdBy: string | null
  readonly account: AccountRef
}

const keyFacts = {
  id: true,
  name: true,
  createdBy: true,
  account: { select: { id: true, kind: true, handle: true, name: true } },
} as const

const MAX_LISTED_REPOS = 100
const MAX_GPU_HOURS = 99_999_999
/** RFC 3339 has years of four digits. */
const MAX_EXPIRY_MS = Date.UTC(10_000, 0)

const madeColumns = columns({
  createdAt: column.timestamptz('created_at'),
  dailyGpuHourQuota: column.float8.orNull('daily_gpu_hour_quota::float8'),
})

const apiKeyRow = insertInto('api_keys', {
  id: param.text(),
  accountId: param.text(),
  createdBy: param.text.orNull(),
  name: param.text(),
  scope: param.enum('KeyScope'),
  tokenSha256: param.bytea<ReturnType<typeof tokenDigest>>(),
  limited: param.bool(),
  repoIds: param.texts(),
  agent: param.bool(),
  dailyGpuHourQuota: param.numeric.orNull<number>(),
  expiresAt: param.timestamptz.orNull(),
})

const insertKey = statement({
  name: 'api-key-insert',
  columns: madeColumns,
  params: apiKeyRow.params,
  text: `${apiKeyRow.sql} returning ${madeColumns.sql}`,
})
const namedRepo = columns({ id: column.text('r.id'), fullName: column.text("o.handle || '/' || r.slug") })
const reachableRepos = statement({
  name: 'api-key-repos',
  exact: 'in-transaction',
  columns: namedRepo,
  params: {
    accountId: param.text(),
    fullNames: param.texts(),
    handles: param.texts(),
    slugs: param.texts(),
  },
  text: `select ${namedRepo.sql} from repos r join accounts o on o.id = r.owner_id
    where o.handle || '/' || r.slug = any(:fullNames::text[]) and o.handle = any(:handles::text[])
      and r.slug = any(:slugs::text[])
      and (r.owner_id = :accountId or r.owner_id in (select org_id from memberships where user_id = :accountId))`,
})
const idColumn = columns({ id: column.text('id') })

const revokeKey = statement({
  name: 'api-key-revoke',
  columns: idColumn,
  params: { id: param.text() },
  text: `update api_keys set revoked_at = now() where id = :id and revoked_at is null returning ${idColumn.sql}`,
})

/** Text rules of a new key; 422 at the member. */
function assertNewKey(input: NewApiKey): void {
  const refuse = (member: string, detail: string) => invalid('validation.value', detail, [member])
  if (!keyNameText.safeParse(input.name).success) {
    throw refuse('name', 'The name of a key has 1 to 100 characters.')
  }
  const { dailyGpuHourQuota: hours, expiresAt, repos } = input
  if (hours != null && !(hours >= 0 && hours <= MAX_GPU_HOURS))
    throw refuse('dailyGpuHourQuota', 'GPU hours a day are 0 or more.')
  if (expiresAt != null && !(Date.parse(expiresAt) > Date.now() && Date.parse(expiresAt) < MAX_EXPIRY_MS))
    throw refuse('expiresAt', 'It must be an RFC 3339 time in the future.')
  if (repos?.length === 0)
    throw refuse('repos', 'Leave out `repos` for an unlimited key; a key with an empty list could access nothing.')
  if (repos && repos.length > MAX_LISTED_REPOS) throw refuse('repos', `A key lists at most ${MAX_LISTED_REPOS} repos.`)
}

/** Repo ids by full name; 422 for a repo that the key's owner cannot access, whether or not it exists. */
async function repoIdsOf(tx: Querier, owner: AccountRef, names: readonly string[]): Promise<string[]> {
  const parts = names.map((name) => name.split('/'))
  const values = {
    accountId: owner.id,
    fullNames: names,
    handles: parts.map(([handle]) => handle ?? ''),
    slugs: parts.map(([, slug]) => slug ?? ''),
  }
  const found = new Map((await tx.query(reachableRepos, values)).map((repo) => [repo.fullName, repo.id]))
  return names.map((name, at) => {
    const id = found.get(name)
    if (id !== undefined) return id
    throw invalid('validation.value', `${owner.handle} and its orgs have no repo ${name}.`, ['repos', at])
  })
}

/** Creates a key for `owner`, records `createdBy`, and returns its token, which is not stored. */
export async function addApiKey({
  tx,
  ctx,
  owner,
  createdBy,
  input,
}: {
  readonly tx: Querier
  readonly ctx: AuditContext
  readonly owner: AccountRef
  readonly createdBy: string | null
  readonly input: NewApiKey
}): Promise<CreatedApiKey> {
  assertNewKey(input)
  const repos = input.repos ? [...new Set(input.repos)] : null
  const repoIds = input.repos ? [...new Set(await repoIdsOf(tx, owner, input.repos))] : null
  const id = newId('key')
  const token = newKeyToken()
  const agent = input.agent ?? false
  const quota = input.dailyGpuHourQuota ?? null
  const expiresAt = input.expiresAt == null ? null : new Date(input.expiresAt).toISOString()
  const [row] = await tx.query(insertKey, {
    id,
    accountId: owner.id,
    createdBy,
    name: input.name,
    scope: input.scope,
    tokenSha256: tokenDigest(token),
    limited: repoIds !== null,
    repoIds: repoIds ?? [],
    agent,
    dailyGpuHourQuota: quota,
    expiresAt,
  })
  const after = { name: input.name, scope: input.scope, repoIds, agent, dailyGpuHourQuota: quota, expiresAt }
  await audit(tx, ctx, { action: 'key.create', accountId: owner.id, targetId: id, actorId: createdBy, after })
  if (!row) throw new Error('The key was not inserted.')
  return { ...row, id, name: input.name, owner, scope: input.scope, repos, agent, expiresAt, token }
}

/**
 * createApiKey, for the session's person or, with `owner`, one of their orgs. The result contains the token, so it is
 * never stored for a replay. Errors: 401, 403 for a key or a non-member, 404, 422.
 */
export async function createApiKey(
  ctx: RequestContext,
  input: NewApiKey & { readonly owner?: string | null },
): Promise<CreatedApiKey> {
  const session = assertSession(ctx.viewer)
  const { db } = ctx.deps
  const owner = input.owner == null ? session.account : await findAccount(db, input.owner)
  assertMember(session, owner)
  return db.withTx(async (tx) => {
    if (owner.kind === 'org') await assertStillInOrg(tx, owner, session.personId)
    return addApiKey({ tx, ctx, owner, createdBy: session.personId, input })
  })
}

/**
 * revokeApiKey: by its person, its creator or an owner of its org, or by the key itself; permanent and idempotent.
 * Errors: 401, 403 for another key, the key of a hosted job and any other member of its org, 404.
 */
export function revokeApiKey(ctx: RequestContext, input: { readonly id: string }): Promise<{ readonly id: string }> {
  return guarded(
    ctx,
    () => findKeyToRevoke(ctx, input.id),
    (allowed, row) => revoke(allowed, row),
  )
}

async function findKeyToRevoke(ctx: RequestContext, id: string): Promise<KeyRow> {
  const { viewer } = ctx
  const isItself = viewer.kind === 'key' && viewer.credentialId === id
  if (isItself) assertNotJob(viewer, 'revoke itself')
  const session = isItself ? viewer : assertSession(viewer)
  const row = isId('key', id) ? await ctx.deps.db.prisma.apiKey.findUnique({ select: keyFacts, where: { id } }) : null
  if (!row || !session.accountIds.includes(row.account.id)) throw notFound(`The key ${id}`)
  if (!isItself && row.createdBy !== session.personId) assertOrgOwner(session, row.account)
  return row
}

function revoke(ctx: AllowedContext, row: KeyRow): Promise<{ readonly id: string }> {
  return commitVerb(ctx, async (tx) => {
    const [revoked] = await tx.query(revokeKey, { id: row.id })
    if (revoked)
      await audit(tx, ctx, {
        action: 'key.revoke',
        accountId: row.account.id,
        targetId: row.id,
        before: { name: row.name },
      })
    return { id: row.id }
  })
}
