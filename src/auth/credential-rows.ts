/** The statement that authenticates each kind of credential, and the mapping of its row to a viewer. */
import type { AccountRef, Credentialed, ScopeLevel } from '../operation/context.ts'
import type { Statement } from '../store/db.ts'
import { jobOfKeySql, operationsOf } from './job-tables.ts'

/** The account of a credential; `orgs` are the memberships of a user. */
interface ReachRow {
  readonly account_id: string
  readonly account_kind: AccountRef['kind']
  readonly handle: string
  readonly account_name: string | null
  readonly orgs: readonly { readonly id: string; readonly role: 'owner' | 'member' }[]
}

export interface KeyRow extends ReachRow {
  readonly id: string
  readonly name: string
  readonly scope: ScopeLevel
  readonly created_by: string | null
  readonly repo_ids: readonly string[] | null
  readonly agent: boolean
  readonly gpu_hours: string | null
  readonly expires_at: string | null
  readonly job_id: string | null
  readonly job_kind: string | null
  /** The repos that the job names. */
  readonly named_repo_ids: readonly string[] | null
  /** Neither revoked nor expired, by the database clock; for the key of a hosted job, also that the job has not ended. */
  readonly live: boolean
}

export interface SessionRow extends ReachRow {
  readonly id: string
  readonly expires_at: string
  readonly live: boolean
}

const reachColumns = `a.id as account_id, a.kind as account_kind, a.handle, a.name as account_name,
  coalesce((select json_agg(json_build_object('id', m.org_id, 'role', m.role) order by m.org_id)
    from memberships m where m.user_id = a.id), '[]'::json) as orgs`

/** The key of a hosted job is dead once the job has ended. */
const jobIsOpen = `(k.job_id is null or coalesce(j.status in ('queued', 'running'), false))`

const keyColumns = `k.id, k.name, k.scope, k.created_by, case when k.limited then to_json(k.repo_ids) end as repo_ids, k.agent,
      k.daily_gpu_hour_quota::text as gpu_hours, k.expires_at, k.job_id,
      j.kind as job_kind, to_json(j.repo_ids) as named_repo_ids,
      k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) and ${jobIsOpen} as live, ${reachColumns}`

const keyTables = `api_keys k join accounts a on a.id = k.account_id left join lateral (${jobOfKeySql}) j on k.job_id is not null`

export const keyByDigest: Statement<KeyRow> = {
  name: 'key-by-digest',
  text: `select ${keyColumns} from ${keyTables} where k.token_sha256 = $1`,
}

export const keysById: Statement<KeyRow> = {
  name: 'keys-by-id',
  text: `select ${keyColumns} from ${keyTables} where k.id = any($1::text[])`,
}

const sessionColumns = `s.id, s.expires_at, s.revoked_at is null and s.expires_at > now() as live, ${reachColumns}`

export const sessionById: Statement<SessionRow> = {
  name: 'session-by-id',
  text: `select ${sessionColumns} from sessions s join accounts a on a.id = s.account_id where s.id = $1 and s.account_id = $2`,
}

export const sessionsById: Statement<SessionRow> = {
  name: 'sessions-by-id',
  text: `select ${sessionColumns} from sessions s join accounts a on a.id = s.account_id where s.id = any($1::text[])`,
}

export const sessionByDigest: Statement<SessionRow> = {
  name: 'session-by-digest',
  text: `select ${sessionColumns} from sessions s join accounts a on a.id = s.account_id where s.token_sha256 = $1`,
}

function reach(row: ReachRow): Pick<Credentialed, 'account' | 'accountIds'> {
  return {
    account: { id: row.account_id, kind: row.account_kind, handle: row.handle, name: row.account_name },
    accountIds: [row.account_id, ...row.orgs.map((org) => org.id)],
  }
}

const ownedOrgs = (row: ReachRow) => row.orgs.filter((org) => org.role === 'owner').map((org) => org.id)

/** A user's key acts for that user, also one that the operator created; the person of an org's key is its creator. */
export function keyViewer(row: KeyRow): Credentialed {
  return {
    kind: 'key',
    credentialId: row.id,
    ...reach(row),
    personId: row.created_by ?? (row.account_kind === 'user' ? row.account_id : null),
    ownedOrgIds: ownedOrgs(row),
    level: row.scope,
    repoIds: row.repo_ids,
    agent: row.agent,
    name: row.name,
    dailyGpuHourQuota: row.gpu_hours,
    expiresAt: row.expires_at,
    ...jobScope(row),
  }
}

/** The limits of a hosted job's key: it acts only for the job's owner, and reads the repos that the job names and those that the job created. */
function jobScope({ job_id: jobId, job_kind, account_id, repo_ids, named_repo_ids }: KeyRow): Partial<Credentialed> {
  if (jobId === null) return {}
  const repoIds = repo_ids ?? []
  const job = { jobId, repoIds, operations: operationsOf(job_kind) }
  return { job, accountIds: [account_id], repoIds: [...repoIds, ...(named_repo_ids ?? [])] }
}

/** A person's session: all scopes, all their repos. */
export function sessionViewer(row: SessionRow): Credentialed {
  return {
    kind: 'session',
    credentialId: row.id,
    ...reach(row),
    personId: row.account_id,
    ownedOrgIds: ownedOrgs(row),
    level: 'train',
    repoIds: null,
    agent: false,
    name: null,
    dailyGpuHourQuota: null,
    expiresAt: row.expires_at,
  }
}
