/**
 * The table of references to repos: a repo cannot be deleted while a job refers to it. Each subject writes the rows of
 * its jobs, in the transaction that creates, changes or ends them. Contract, "Deleting a repo".
 */
import type { Querier } from '../store/db.ts'
import { each, insertEach, insertInto, sql } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import type { RepoReferrers } from './referrers.ts'

/** A job that refers to repos. */
export interface Referrer {
  readonly id: string
  readonly kind: keyof RepoReferrers
  /** The account that is billed: the reference blocks deletion while this account can see the repo. */
  readonly ownerId: string
}

/** A referenced repo and the reason: `output`, `dataset`, `robot`. */
export interface Reference {
  readonly repoId: string
  readonly reason: string
}

const ofReferrer = {
  referrerId: sql(':id', { id: param.text() }),
  referrerKind: sql(':kind', { kind: param.text() }),
  ownerId: param.text(),
}

const referenceRows = insertEach('repo_references', {
  repoId: each('repoIds', param.texts()),
  reason: each('reasons', param.texts()),
  ...ofReferrer,
})

const insertAll = statement({
  name: 'repo-references-insert',
  params: referenceRows.params,
  text: `${referenceRows.sql} on conflict do nothing`,
})

/**
 * Adds references of a job: one statement, none without references. The caller must have locked the repos, so that they
 * cannot be deleted concurrently.
 */
export async function addReferences(tx: Querier, referrer: Referrer, references: readonly Reference[]): Promise<void> {
  if (references.length === 0) return
  const repoIds = references.map(({ repoId }) => repoId)
  const reasons = references.map(({ reason }) => reason)
  await tx.query(insertAll, { ...referrer, repoIds, reasons })
}

const repoReferenceRow = insertInto('repo_references', {
  repoId: param.text(),
  reason: param.text(),
  ...ofReferrer,
})

const replace = statement({
  name: 'repo-reference-replace',
  params: repoReferenceRow.params,
  text: `with old as (delete from repo_references where referrer_id = :id and reason = :reason and repo_id <> :repoId)
    ${repoReferenceRow.sql} on conflict do nothing`,
})

/** Replaces the job's reference for this reason. The caller must have locked the repo. */
export async function replaceReference(tx: Querier, referrer: Referrer, reference: Reference): Promise<void> {
  await tx.query(replace, { ...referrer, ...reference })
}

const dropAll = statement({
  name: 'repo-references-drop',
  params: { referrerId: param.text() },
  text: 'delete from repo_references where referrer_id = :referrerId',
})

/** Removes all references of a job. */
export async function dropReferences(tx: Querier, referrerId: string): Promise<void> {
  await tx.query(dropAll, { referrerId })
}
