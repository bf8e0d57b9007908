/**
 * Authorization: pure functions of a viewer and a target, and the matching SQL and Prisma conditions.
 * Contract, "Credentials"; spec, "Scopes". Invisible is 404; visible but not allowed is 403; anonymous is 401.
 */
import type { Credentialed, ScopeLevel, Viewer } from '../operation/context.ts'
import { HubError, notFound } from '../platform/errors.ts'
import { type Given, param } from '../store/statement.ts'

/** The repo facts that decide visibility. */
export interface RepoTarget {
  readonly id: string
  readonly ownerId: string
  readonly visibility: 'private' | 'public'
}

/** The values of `repoViewer`: the accounts the viewer acts for, and the only repos it may access (null: all). */
export interface VisibleRepos {
  readonly accountIds: readonly string[]
  readonly repoIds: readonly string[] | null
}

const levels: readonly ScopeLevel[] = ['read', 'write', 'train']

const forbidden = (detail: string) => new HubError('forbidden.scope', detail)

/** The credential behind a request; 401 `auth.missing` for an anonymous request. */
export function requireCredential(viewer: Viewer): Credentialed {
  if (viewer.kind !== 'anonymous') return viewer
  throw new HubError('auth.missing', 'This needs a credential: send `Authorization: Bearer <API key or session>`.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}

/** Whether a credential's level includes `level`: read < write < train, and a session includes all three. */
export function hasLevel(viewer: Credentialed, level: ScopeLevel): boolean {
  return viewer.kind === 'session' || levels.indexOf(viewer.level) >= levels.indexOf(level)
}

/** 401 without a credential, 403 `forbidden.scope` if its level is below `level`. */
export function assertLevel(viewer: Viewer, level: ScopeLevel): Credentialed {
  const credential = requireCredential(viewer)
  if (hasLevel(credential, level)) return credential
  throw forbidden(`This needs the scope key:${level}; the key has key:${credential.level}.`)
}

/** Only a person's session has the scope `session`: 401 without a credential, 403 for every API key. */
export function assertSession(viewer: Viewer): Credentialed & { readonly personId: string } {
  const credential = requireCredential(viewer)
  if (credential.kind !== 'session' || credential.personId === null) {
    throw forbidden("This needs a person's session; an API key cannot do it.")
  }
  return { ...credential, personId: credential.personId }
}

/** Whether the viewer may act on a repo of this id at all: true for everything but a key limited to other repos. */
const reaches = (viewer: Credentialed, repoId: string) => viewer.repoIds === null || viewer.repoIds.includes(repoId)

/**
 * Public repos are visible to everyone; private ones to the members of their owner, and to a limited key only if
 * listed.
 */
export function canSee(repo: RepoTarget, viewer: Viewer): boolean {
  if (repo.visibility === 'public') return true
  return viewer.kind !== 'anonymous' && viewer.accountIds.includes(repo.ownerId) && reaches(viewer, repo.id)
}

/** The parameters of the same rule in SQL. An anonymous caller has no accounts, so only public repos remain. */
export function visibleRepos(viewer: Viewer): VisibleRepos {
  if (viewer.kind === 'anonymous') return { accountIds: [], repoIds: null }
  return { accountIds: viewer.accountIds, repoIds: viewer.repoIds }
}

/** The same rule as a Prisma `where`. */
export function repoVisibleWhere(viewer: Viewer) {
  const { accountIds, repoIds } = visibleRepos(viewer)
  const theirs = { ownerId: { in: [...accountIds] }, ...(repoIds && { id: { in: [...repoIds] } }) }
  return { OR: [{ visibility: 'public' as const }, theirs] }
}

/** The parameters of a statement with `repoVisibleSql`; `visibleRepos` provides the values. */
export const repoViewer = { accountIds: param.texts(), repoIds: param.texts.orNull() }

/** `canSee` as an SQL condition on the repos row `alias`, with the parameters `repoViewer`. */
export function repoVisibleSql(alias: string): string {
  return `(${alias}.visibility = 'public' or ${repoOwnSql(alias)})`
}

/** Of a repo of the viewer's own account or org, public or not, which a limited key lists. As `repoVisibleSql`. */
export const repoOwnSql = (alias: string): string =>
  `(${alias}.owner_id = any(:accountIds::text[]) and (:repoIds::text[] is null or ${alias}.id = any(:repoIds::text[])))`

/**
 * May the viewer write this repo (key:write or `level`)? `name` is its name in the message. Errors in order: invisible
 * 404, no credential 401, level too low 403, not of the owner 403, limited to other repos 403.
 */
export function assertMayWriteRepo(
  viewer: Viewer,
  repo: RepoTarget,
  name = 'The repo',
  level: ScopeLevel = 'write',
): Credentialed {
  if (!canSee(repo, viewer)) throw notFound(name)
  const credential = assertLevel(viewer, level)
  if (!credential.accountIds.includes(repo.ownerId))
    throw forbidden(`${name} belongs to an account that you are not a member of.`)
  if (!reaches(credential, repo.id)) throw forbidden(`The key is limited to other repos and cannot access ${name}.`)
  if (credential.job && !credential.job.repoIds.includes(repo.id))
    throw forbidden(`The key of a hosted job may write only the repos that it created, and ${name} is not one of them.`)
  return credential
}

/**
 * May the viewer make the hub process a visible repo without changing it? A key limited to other repos may only use
 * operations without a scope:
 * 403. `name` is the repo's name in the message.
 */
export function assertReachesRepo(viewer: Viewer, repo: RepoTarget, name: string): void {
  if (!reaches(requireCredential(viewer), repo.id))
    throw forbidden(`The key is limited to other repos and cannot access ${name}.`)
}

/**
 * May the viewer act for `owner` (create a repo, submit work)? Null is an unknown handle. Errors in order:
 * no credential 401, unknown 404, level too low 403, not a member 403.
 */
export function assertActsFor<Owner extends { readonly id: string }>(
  viewer: Viewer,
  owner: Owner | null | undefined,
  handle: string,
  level: ScopeLevel = 'write',
): Owner {
  const credential = requireCredential(viewer)
  if (!owner) throw notFound(`The account ${handle}`)
  assertLevel(credential, level)
  if (!credential.accountIds.includes(owner.id)) throw forbidden(`You are neither ${handle} nor one of its members.`)
  return owner
}

/** `assertActsFor`, and 403 for a key limited to repos, which could not access what it creates. */
export function assertMayCreateRepo<Owner extends { readonly id: string }>(
  viewer: Viewer,
  owner: Owner | null | undefined,
  handle: string,
): Owner {
  const found = assertActsFor(viewer, owner, handle)
  if (viewer.kind !== 'anonymous' && viewer.repoIds !== null && !viewer.job)
    throw forbidden('A key limited to repos cannot create one.')
  return found
}

/** Whether the limits of a hosted job's key allow an operation with a scope; true for every other credential. */
export function jobMay({ job }: Credentialed, operation: string): boolean {
  return !job?.operations || job.operations.includes(operation)
}

/** 403 for the key of a hosted job whose operations do not include this one. */
export function assertJobMay(credential: Credentialed, operation: string): void {
  if (jobMay(credential, operation)) return
  const allowed = credential.job?.operations?.join(', ')
  throw forbidden(`The key of this hosted job may not use ${operation}; it may use ${allowed}.`)
}

/** 403 for the key of a hosted job, which is only for its own job. */
export function assertNotJob(viewer: Viewer, action: string): void {
  if (viewer.kind === 'anonymous' || !viewer.job) return
  throw forbidden(`The key of a hosted job may not ${action}.`)
}

/** The run facts that decide visibility. `repoIds` are the repos of this hub in its recipe. */
export interface RunTarget {
  readonly id: string
  readonly ownerId: string
  readonly createdBy: string | null
  readonly filedBy: string
  readonly repoIds: readonly string[]
}

/** The parameters of a statement with `runVisibleSql`; `visibleRuns` provides the values. */
export const runViewer = {
  accountIds: param.texts(),
  /** The only repos of a limited key; null: all. */
  repoIds: param.texts.orNull(),
  /** The user whose own runs are visible, also those billed to another account. */
  userId: param.text.orNull(),
  /**
   * The credential id, which sees the runs it submitted; for a hosted job's key the id of its job. Ids of credentials
   * and jobs never collide.
   */
  credentialId: param.text.orNull(),
}

/** The values of `runViewer`. */
export type VisibleRuns = Given<typeof runViewer>

/**
 * The user whose own runs the viewer sees; an org's key sees the org's runs, not those of the person who created it.
 */
const userOf = (viewer: Credentialed) => (viewer.account.kind === 'user' ? viewer.account.id : null)

/**
 * A run is visible to its creator and to the members of its owner; to a key limited to repos only if it submitted the
 * run itself, or if all repos in the recipe (at least one) are listed. The key of a hosted job sees its own run.
 */
export function canSeeRun(run: RunTarget, viewer: Viewer): boolean {
  if (viewer.kind === 'anonymous') return false
  if (viewer.job) return run.id === viewer.job.jobId
  const isOwn = viewer.accountIds.includes(run.ownerId) || (run.createdBy !== null && run.createdBy === userOf(viewer))
  if (!isOwn || viewer.repoIds === null || run.filedBy === viewer.credentialId) return isOwn
  return run.repoIds.length > 0 && run.repoIds.every((id) => reaches(viewer, id))
}

/** The same rule in SQL. An anonymous caller sees no run. */
export function visibleRuns(viewer: Viewer): VisibleRuns {
  if (viewer.kind === 'anonymous') return { accountIds: [], repoIds: null, userId: null, credentialId: null }
  if (viewer.job) return { accountIds: [], repoIds: null, userId: null, credentialId: viewer.job.jobId }
  const { accountIds, repoIds, credentialId } = viewer
  return { accountIds, repoIds, userId: userOf(viewer), credentialId }
}

/** `canSeeRun` as an SQL condition on the runs row `alias`, with the parameters `runViewer`. */
export function runVisibleSql(alias: string): string {
  return `(${alias}.id = :credentialId or (${ownRunSql(alias)}
    and (:repoIds::text[] is null or ${alias}.filed_by = :credentialId or ${runListedSql(alias)})))`
}

/** The parameters of a statement with `billedVisibleSql`; `visibleRuns` provides the values. */
export const billedViewer = {
  accountIds: runViewer.accountIds,
  repoIds: runViewer.repoIds,
  credentialId: runViewer.credentialId,
}

/**
 * SQL condition on the row `alias` of a job of a kind that only the billed account sees: its creator no longer sees it
 * after leaving that account. With the parameters `billedViewer`. For keys limited to repos and keys of hosted jobs the
 * rule is the same as for runs.
 */
export function billedVisibleSql(alias: string): string {
  return `(${alias}.id = :credentialId or (${alias}.owner_id = any(:accountIds::text[])
    and (:repoIds::text[] is null or ${alias}.filed_by = :credentialId or ${runListedSql(alias)})))`
}

/** The account part of `runVisibleSql`: the run belongs to an account of the viewer, or the viewer created it. */
export function ownRunSql(alias: string): string {
  return `(${alias}.owner_id = any(:accountIds::text[]) or ${alias}.created_by = :userId)`
}

/** The repo part of `runVisibleSql` for a limited key; its first half can use an index. */
export function runListedSql(alias: string): string {
  return `(${alias}.repo_ids && :repoIds::text[] and ${alias}.repo_ids <@ :repoIds::text[])`
}

/**
 * May the viewer run work of this owner? 401 without a credential, 403 for a level below `level` and for a viewer who
 * does not belong to the billed account.
 */
export function assertRunsFor(
  viewer: Viewer,
  ownerId: string,
  level: ScopeLevel = 'train',
  name = 'The run',
): Credentialed {
  const credential = assertLevel(viewer, level)
  if (credential.accountIds.includes(ownerId)) return credential
  throw forbidden(`${name} belongs to an account that you are not a member of.`)
}

type AgentAction =
  | `delete a ${'repo' | 'run' | 'snapshot'}`
  | 'purge files'
  | 'make a repo public'
  | 'move a repo'
  | 'change a gate'
  | 'review a map of joints'

/** 403 `forbidden.agent` for an agent key, which may do none of these; it also creates no public repo. */
export function assertNotAgent(viewer: Viewer, action: AgentAction): void {
  if (viewer.kind === 'anonymous' || !viewer.agent) return
  throw new HubError('forbidden.agent', `An agent key may not ${action}; use a session or another key.`)
}

/** Does the viewer belong to this account, as its user or as an org member? 401, then 403. */
export function assertMember(viewer: Viewer, account: { readonly id: string; readonly handle: string }): Credentialed {
  const credential = requireCredential(viewer)
  if (credential.accountIds.includes(account.id)) return credential
  throw forbidden(`You are neither ${account.handle} nor one of its members.`)
}

/**
 * Only an org owner in a session may change members and the spend cap: 401, then 403. A user owns their own account.
 */
export function assertOrgOwner(
  viewer: Viewer,
  account: { readonly id: string; readonly handle: string },
): Credentialed & { readonly personId: string } {
  const session = assertSession(viewer)
  if (session.account.id === account.id || session.ownedOrgIds.includes(account.id)) return session
  throw forbidden(`Only an owner of ${account.handle} may do this.`)
}
