/** The statement that authenticates each kind of credential, and the mapping of its row to a viewer. */
import type { Credentialed } from '../operation/context.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { listOf, objectOf, oneOf, text, texts } from '../store/read-json.ts'
import { param, statement } from '../store/statement.ts'
import { jobOfKeySql, operationsOf } from './job-tables.ts'

/** The account of a credential; `orgs` are the memberships of a user. */
const reachColumns = columns({
  accountId: column.text('a.id'),
  accountKind: column.enum('AccountKind', 'a.kind'),
  handle: column.text('a.handle'),
  accountName: column.text.orNull('a.name'),
  orgs: column.json(
    `coalesce((select json_agg(json_build_object('id', m.org_id, 'role', m.role) order by m.org_id)
    from memberships m where m.user_id = a.id), '[]'::json)`,
    listOf(
      objectOf<{ readonly id: string; readonly role: 'owner' | 'member' }>({
        id: text,
        role: oneOf('owner', 'member'),
      }),
    ),
  ),
})

type ReachRow = RowOf<typeof reachColumns>

/** The operator keeps the account out: a credential that would be live is refused, and its sender told why. */
const isOut = 'a.disabled_at is not null'

/** The key of a hosted job is dead once the job has ended. */
const jobIsOpen = `(k.job_id is null or coalesce(j.status in ('queued', 'running'), false))`

/**
 * The key of a run ends with the credential that asked for it: a person who revokes that credential does not know of
 * the run's key, and a run that lost its lease would keep the key alive. `any(array[...])` forces a lookup for each
 * key: with an equality PostgreSQL hashes both tables whole.
 */
const makerIsLive = `(k.made_with is null
  or exists (select from api_keys m where m.id = any(array[k.made_with]) and m.revoked_at is null
    and (m.expires_at is null or m.expires_at > now()))
  or exists (select from sessions m where m.id = any(array[k.made_with]) and m.revoked_at is null
    and m.expires_at > now()))`

const keyColumns = reachColumns.with({
  id: column.text('k.id'),
  name: column.text('k.name'),
  scope: column.enum('KeyScope', 'k.scope'),
  createdBy: column.text.orNull('k.created_by'),
  repoIds: column.json.orNull('case when k.limited then to_json(k.repo_ids) end', texts),
  agent: column.bool('k.agent'),
  gpuHours: column.text.orNull('k.daily_gpu_hour_quota::text'),
  expiresAt: column.timestamptz.orNull('k.expires_at'),
  jobId: column.text.orNull('k.job_id'),
  jobKind: column.text.orNull('j.kind'),
  /** The repos that the job names. */
  namedRepoIds: column.json.orNull('to_json(j.repo_ids)', texts),
  /**
   * Neither revoked nor expired, by the database clock; for the key of a job, also that the job has not ended, nor the
   * credential that asked for the key.
   */
  live: column.bool(`k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) and ${jobIsOpen}
    and ${makerIsLive}`),
  /** Also the key that a disabled person made for an org or for its run; not that of a hosted job of the org. */
  disabled: column.bool(`${isOut} or (not coalesce(j.is_of_call, false) and coalesce((select m.disabled_at is not null
    from accounts m where m.id = k.created_by), false))`),
})

export type KeyRow = RowOf<typeof keyColumns>

const keyTables = `api_keys k join accounts a on a.id = k.account_id left join lateral (${jobOfKeySql}) j
  on k.job_id is not null`

export const keyByDigest = statement({
  name: 'key-by-digest',
  exact: 'each-request',
  columns: keyColumns,
  params: { tokenSha256: param.bytea() },
  text: `select ${keyColumns.sql} from ${keyTables} where k.token_sha256 = :tokenSha256`,
})

export const keysById = statement({
  name: 'keys-by-id',
  exact: 'each-request',
  columns: keyColumns,
  params: { ids: param.texts() },
  text: `select ${keyColumns.sql} from ${keyTables} where k.id = any(:ids::text[])`,
})

/** For how long after signing in a person may do what needs a recent sign-in. */
const RECENT_SIGN_IN_SECONDS = 15 * 60

const sessionColumns = reachColumns.with({
  id: column.text('s.id'),
  expiresAt: column.timestamptz('s.expires_at'),
  live: column.bool('s.revoked_at is null and s.expires_at > now()'),
  disabled: column.bool(isOut),
  isRecentSignIn: column.bool(
    `coalesce(s.signed_in_at > now() - make_interval(secs => ${RECENT_SIGN_IN_SECONDS}), false)`,
  ),
})

export type SessionRow = RowOf<typeof sessionColumns>

export const sessionById = statement({
  name: 'session-by-id',
  exact: 'each-request',
  columns: sessionColumns,
  params: { id: param.text(), accountId: param.text() },
  text: `select ${sessionColumns.sql} from sessions s join accounts a on a.id = s.account_id where s.id = :id and s.account_id = :accountId`,
})

export const sessionsById = statement({
  name: 'sessions-by-id',
  exact: 'each-request',
  columns: sessionColumns,
  params: { ids: param.texts() },
  text: `select ${sessionColumns.sql} from sessions s join accounts a on a.id = s.account_id where s.id = any(:ids::text[])`,
})

export const sessionByDigest = statement({
  name: 'session-by-digest',
  exact: 'each-request',
  columns: sessionColumns,
  params: { digest: param.bytea() },
  text: `select ${sessionColumns.sql} from sessions s join accounts a on a.id = s.account_id where s.token_sha256 = :digest`,
})

function reach(row: ReachRow): Pick<Credentialed, 'account' | 'accountIds'> {
  return {
    account: { id: row.accountId, kind: row.accountKind, handle: row.handle, name: row.accountName },
    accountIds: [row.accountId, ...row.orgs.map((org) => org.id)],
  }
}

const ownedOrgs = (row: ReachRow) => row.orgs.filter((org) => org.role === 'owner').map((org) => org.id)

/** A user's key acts for that user, also one that the operator created; the person of an org's key is its creator. */
export function keyViewer(row: KeyRow): Credentialed {
  return {
    kind: 'key',
    credentialId: row.id,
    ...reach(row),
    personId: row.createdBy ?? (row.accountKind === 'user' ? row.accountId : null),
    ownedOrgIds: ownedOrgs(row),
    level: row.scope,
    repoIds: row.repoIds,
    agent: row.agent,
    name: row.name,
    dailyGpuHourQuota: row.gpuHours,
    expiresAt: row.expiresAt,
    ...jobScope(row),
  }
}

/**
 * The limits of a hosted job's key: it acts only for the job's owner, and reads the repos that the job names and those
 * that the job created.
 */
function jobScope({ jobId, jobKind, accountId, repoIds: listed, namedRepoIds }: KeyRow): Partial<Credentialed> {
  if (jobId === null) return {}
  const repoIds = listed ?? []
  const job = { jobId, repoIds, operations: operationsOf(jobKind) }
  return { job, accountIds: [accountId], repoIds: [...repoIds, ...(namedRepoIds ?? [])] }
}

/** A person's session: all scopes, all their repos. */
export function sessionViewer(row: SessionRow): Credentialed {
  return {
    kind: 'session',
    credentialId: row.id,
    ...reach(row),
    personId: row.accountId,
    ownedOrgIds: ownedOrgs(row),
    level: 'train',
    repoIds: null,
    agent: false,
    name: null,
    dailyGpuHourQuota: null,
    expiresAt: row.expiresAt,
    isRecentSignIn: row.isRecentSignIn,
  }
}
