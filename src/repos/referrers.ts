/**
 * The subjects that refer to repos, and the checks on deletion of a repo. They depend on `repos`, so they register
 * themselves: each declares its member of `RepoReferrers`, and the composition root provides it.
 * Contract, "Deleting a repo".
 */
import { HubError } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import type { RepoFacts } from './get-repo.ts'

declare module '../operation/context.ts' {
  interface Deps {
    readonly repoReferrers: RepoReferrers
  }
}

/** A kind of job that refers to repos. */
export interface RepoReferrer {
  /** `a run` */
  readonly singular: string
  /** At the beginning of a sentence: `Runs` */
  readonly plural: string
  /** How the owner of such jobs can release the repo: `Delete the runs first.` */
  readonly remedy: string
  /** Clears references of other accounts' jobs to a repo, in the transaction that deletes it. */
  forgetRepo(tx: Tx, repoId: string): Promise<void>
}

/** The subjects that refer to repos, by the `referrer_kind` of a row in `repo_references`. */
// biome-ignore lint/suspicious/noEmptyInterface: each subject declares its member.
export interface RepoReferrers {}

const SHOWN = 20

const ownerHasAccess = `(r.owner_id = f.owner_id or exists (select 1 from memberships m where m.org_id = r.owner_id and m.user_id = f.owner_id))`

interface Blocker {
  readonly referrer: string
  readonly kind: keyof RepoReferrers
  readonly reason: string
  /** Whether the owner of the job can see the repo only because the repo is public. */
  readonly isForeign: boolean
}

const blockersOfColumns = columns({
  referrer: column.text('f.referrer_id'),
  kind: column.text<keyof RepoReferrers>('f.referrer_kind'),
  reason: column.text('f.reason'),
  isForeign: column.bool(`not ${ownerHasAccess}`),
})

/** References of accounts that can see the repo, regardless of the repos that their keys are limited to. */
const blockersOf = statement({
  name: 'repo-blockers',
  exact: 'in-transaction',
  columns: blockersOfColumns,
  params: { id: param.text() },
  text: `select ${blockersOfColumns.sql}
    from repo_references f join repos r on r.id = f.repo_id
    where f.repo_id = :id and (r.visibility = 'public' or ${ownerHasAccess})
    order by f.referrer_id limit ${SHOWN}`,
})

/**
 * 409 `conflict.referenced` listing up to 20 references. The caller holds the repo's row lock, which new references and
 * visibility changes wait for, so no reference can appear before the delete.
 */
export async function assertUnreferenced(tx: Tx, { id, fullName }: RepoFacts, referrers: RepoReferrers): Promise<void> {
  const blockers = await tx.query(blockersOf, { id })
  if (blockers.length === 0) return
  const detail = `${fullName} is still referenced and cannot be deleted. ${remedyOf(blockers, referrers)}`
  throw new HubError('conflict.referenced', detail, {
    items: blockers.map(({ referrer, kind, reason, isForeign }) => ({
      type: 'conflict.referenced',
      detail: `${referrer} references it (${reason}${isForeign ? `; ${referrers[kind].singular} of another account` : ''}).`,
      referrer,
    })),
  })
}

/** The owner cannot end other accounts' jobs, but those block a repo only while it is public. */
function remedyOf(blockers: readonly Blocker[], referrers: RepoReferrers): string {
  const foreign = blockers.filter(({ isForeign }) => isForeign)
  const kinds = new Set((foreign.length > 0 ? foreign : blockers).map(({ kind }) => kind))
  const found = [...kinds].map((kind) => referrers[kind])
  if (foreign.length === 0) return found.map(({ remedy }) => remedy).join(' ')
  const plurals = found.map(({ plural }) => plural).join(' and ')
  return `${plurals} of other accounts reference it because they can see it: make it private first.`
}

const dropReferencesTo = statement({
  name: 'repo-references-drop-to',
  params: { repoId: param.text() },
  text: 'delete from repo_references where repo_id = :repoId',
})

/**
 * Deletes the references that `assertUnreferenced` allows: they belong to jobs of other accounts and are deleted with
 * the repo.
 */
export async function dropForeign(tx: Tx, repoId: string, referrers: RepoReferrers): Promise<void> {
  await tx.query(dropReferencesTo, { repoId })
  for (const { forgetRepo } of Object.values<RepoReferrer>({ ...referrers })) await forgetRepo(tx, repoId)
}
