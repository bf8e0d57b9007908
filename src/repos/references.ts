/**
 * What keeps a repo from being deleted: runs that name it, of owners who see it now. Contract, "References that keep a repo from being deleted" and
 * "References of strangers".
 */
import { HubError } from '../platform/errors.ts'
import type { Statement, Tx } from '../store/db.ts'
import type { RepoFacts } from './get-repo.ts'

const SHOWN = 20

/** Whether the account `account` sees the repos row `alias`, a key limited to repos aside. */
const ownerSeesRepoSql = (alias: string, account: string) =>
  `(${alias}.visibility = 'public' or ${isTheirsSql(alias, account)})`

const isTheirsSql = (alias: string, account: string) =>
  `(${alias}.owner_id = ${account} or exists (select 1 from memberships m where m.org_id = ${alias}.owner_id and m.user_id = ${account}))`

/** What is no run is not judged by an owner: it counts. */
const referrers: Statement<{ referrer: string; reason: string; isStranger: boolean }> = {
  name: 'repo-referrers',
  text: `select f.referrer_id as referrer, f.reason, u.id is not null and not ${isTheirsSql('r', 'u.owner_id')} as "isStranger"
    from repo_references f join repos r on r.id = f.repo_id left join runs u on u.id = f.referrer_id
    where f.repo_id = $1 and (u.id is null or ${ownerSeesRepoSql('r', 'u.owner_id')})
    order by f.referrer_id limit ${SHOWN}`,
}

/**
 * 409 `conflict.referenced` naming what refers to the repo, up to 20. The caller holds the repo's row lock, which a new reference and a change of
 * visibility wait for: what is not here now cannot appear before the delete.
 */
export async function assertUnreferenced(tx: Tx, facts: RepoFacts): Promise<void> {
  const rows = await tx.query(referrers, [facts.id])
  if (rows.length === 0) return
  const hint = rows.some((row) => row.isStranger)
    ? ' Runs of others refer to it because they can see it: make it private first.'
    : ' Delete the runs first.'
  throw new HubError('conflict.referenced', `${facts.fullName} is still referred to and cannot be deleted.${hint}`, {
    items: rows.map(({ referrer, reason, isStranger }) => ({
      type: 'conflict.referenced',
      detail: `${referrer} refers to it (${reason}${isStranger ? '; a run of others' : ''}).`,
      referrer,
    })),
  })
}

const dropReferences: Statement<never> = {
  name: 'repo-references-drop',
  text: 'delete from repo_references where repo_id = $1',
}

/** Their recipes still name it, as text. */
const unpin: Statement<never> = {
  name: 'repo-datasets-unpin',
  text: 'update run_datasets set repo_id = null, seq = null where repo_id = $1',
}

/** After `assertUnreferenced` only references of strangers are left: they go with the repo, and pin its files no longer. */
export async function dropStrangers(tx: Tx, repoId: string): Promise<void> {
  await tx.query(dropReferences, [repoId])
  await tx.query(unpin, [repoId])
}
