/**
 * Which subjects refer to repos, and what a repo's deletion asks of them. They come after `repos`, so they register themselves: each declares its member of
 * `RepoReferrers`, and the composition root fills it. Contract, "References of strangers".
 */
import { HubError } from '../platform/errors.ts'
import type { Statement, Tx } from '../store/db.ts'
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
  /** How the owner of such jobs frees the repo: `Delete the runs first.` */
  readonly remedy: string
  /** Forgets what jobs of strangers still hold of a repo, in the transaction that deletes it. */
  forgetRepo(tx: Tx, repoId: string): Promise<void>
}

/** By the `referrer_kind` of a row. */
// biome-ignore lint/suspicious/noEmptyInterface: each subject declares its member.
export interface RepoReferrers {}

const SHOWN = 20

const isTheirs = `(r.owner_id = f.owner_id or exists (select 1 from memberships m where m.org_id = r.owner_id and m.user_id = f.owner_id))`

interface Blocker {
  readonly referrer: string
  readonly kind: keyof RepoReferrers
  readonly reason: string
  /** Its owner sees the repo because it is public. */
  readonly isStranger: boolean
}

/** References of accounts that see the repo; that a key is limited to repos does not matter. */
const blockersOf: Statement<Blocker> = {
  name: 'repo-blockers',
  text: `select f.referrer_id as referrer, f.referrer_kind as kind, f.reason, not ${isTheirs} as "isStranger"
    from repo_references f join repos r on r.id = f.repo_id
    where f.repo_id = $1 and (r.visibility = 'public' or ${isTheirs})
    order by f.referrer_id limit ${SHOWN}`,
}

/**
 * 409 `conflict.referenced` naming what refers to the repo, up to 20. The caller holds the repo's row lock, which a new reference and a change of
 * visibility wait for: what is not here now cannot appear before the delete.
 */
export async function assertUnreferenced(tx: Tx, { id, fullName }: RepoFacts, referrers: RepoReferrers): Promise<void> {
  const blockers = await tx.query(blockersOf, [id])
  if (blockers.length === 0) return
  const detail = `${fullName} is still referred to and cannot be deleted. ${remedyOf(blockers, referrers)}`
  throw new HubError('conflict.referenced', detail, {
    items: blockers.map(({ referrer, kind, reason, isStranger }) => ({
      type: 'conflict.referenced',
      detail: `${referrer} refers to it (${reason}${isStranger ? `; ${referrers[kind].singular} of others` : ''}).`,
      referrer,
    })),
  })
}

/** Nobody can end the jobs of strangers, but they bind a repo only while it is public. */
function remedyOf(blockers: readonly Blocker[], referrers: RepoReferrers): string {
  const strangers = blockers.filter(({ isStranger }) => isStranger)
  const kinds = new Set((strangers.length > 0 ? strangers : blockers).map(({ kind }) => kind))
  const found = [...kinds].map((kind) => referrers[kind])
  if (strangers.length === 0) return found.map(({ remedy }) => remedy).join(' ')
  const plurals = found.map(({ plural }) => plural).join(' and ')
  return `${plurals} of others refer to it because they can see it: make it private first.`
}

const dropReferencesTo: Statement<never> = {
  name: 'repo-references-drop-to',
  text: 'delete from repo_references where repo_id = $1',
}

/** After `assertUnreferenced` only references of strangers are left: they go with the repo. */
export async function dropStrangers(tx: Tx, repoId: string, referrers: RepoReferrers): Promise<void> {
  await tx.query(dropReferencesTo, [repoId])
  for (const { forgetRepo } of Object.values<RepoReferrer>({ ...referrers })) await forgetRepo(tx, repoId)
}
