/**
 * The table of what refers to repos: a repo is not deleted while a job refers to it. Each subject writes the rows of its jobs, in the transaction that
 * makes, changes or ends them. Contract, "References that keep a repo from being deleted".
 */
import type { Querier, Statement } from '../store/db.ts'
import type { RepoReferrers } from './referrers.ts'

/** A job that refers to repos. */
export interface Referrer {
  readonly id: string
  readonly kind: keyof RepoReferrers
  /** The account that it is billed to: while that sees the repo, the reference keeps it. */
  readonly ownerId: string
}

/** A repo that is referred to, and as what: `output`, `dataset`, `robot`. */
export interface Reference {
  readonly repoId: string
  readonly reason: string
}

const insertAll: Statement<never> = {
  name: 'repo-references-insert',
  text: `insert into repo_references (repo_id, referrer_id, reason, referrer_kind, owner_id)
    select repo_id, $1, reason, $2, $3 from unnest($4::text[], $5::text[]) as given (repo_id, reason) on conflict do nothing`,
}

/** One statement, none without references. The caller has locked the repos, so that none of them is being deleted. */
export async function addReferences(tx: Querier, referrer: Referrer, references: readonly Reference[]): Promise<void> {
  if (references.length === 0) return
  const { id, kind, ownerId } = referrer
  const repoIds = references.map(({ repoId }) => repoId)
  const reasons = references.map(({ reason }) => reason)
  await tx.query(insertAll, [id, kind, ownerId, repoIds, reasons])
}

const replace: Statement<never> = {
  name: 'repo-reference-replace',
  text: `with old as (delete from repo_references where referrer_id = $1 and reason = $5 and repo_id <> $4)
    insert into repo_references (repo_id, referrer_id, reason, referrer_kind, owner_id) values ($4, $1, $5, $2, $3) on conflict do nothing`,
}

/** The job's one reference for this reason, in the place of the one that it had. The caller has locked the repo. */
export async function replaceReference(tx: Querier, referrer: Referrer, { repoId, reason }: Reference): Promise<void> {
  await tx.query(replace, [referrer.id, referrer.kind, referrer.ownerId, repoId, reason])
}

const dropAll: Statement<never> = {
  name: 'repo-references-drop',
  text: 'delete from repo_references where referrer_id = $1',
}

/** The job keeps no repo any more. */
export async function dropReferences(tx: Querier, referrerId: string): Promise<void> {
  await tx.query(dropAll, [referrerId])
}
