/** Snapshots: names for states of a repo, which keep the files of those states permanently. Contract, "Versions". */

import { newId } from '@hub/formats/ids'
import { lockAccounts } from '../../accounts/lock-accounts.ts'
import { readAccount } from '../../auth/account-json.ts'
import { assertNotAgent, assertNotJob } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, notFound } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../../platform/page.ts'
import { findRepo, findRepoToWrite, lockRepo, type RepoFacts } from '../../repos/get-repo.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { insertInto } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { MAX_SNAPSHOTS_PER_REPO } from '../limits.ts'
import { countBytes } from '../reservation.ts'
import { countKeptBytes, soleBytes } from './kept-bytes.ts'
import { storedSnapshotName, writtenSnapshotName } from './state-name.ts'
import { findState, goneState, shareState } from './states.ts'

const snapshotColumns = columns({
  id: column.text('s.id'),
  repoId: column.text('s.repo_id'),
  /** As requests write it: one that starts with a digit has a prefix. */
  name: column.text(writtenSnapshotName('s.name')),
  seq: column.int4('s.seq'),
  commitId: column.text('coalesce(c.commit_id, (select r.empty_commit_id from repos r where r.id = s.repo_id))'),
  /** The run that made the change that led to the state. Not for every reader. */
  runId: column.text.orNull('c.run_id'),
  note: column.text.orNull('s.note'),
  createdAt: column.timestamptz('s.created_at'),
  ownerId: column.text('(select r.owner_id from repos r where r.id = s.repo_id)'),
  /**
   * Null if the credential has no person, such as an org key that the operator created. Only members of an org may know
   * its people, so responses use `personFor`.
   */
  creator: column.json.orNull(
    `(select json_build_object('id', a.id, 'kind', a.kind, 'handle', a.handle, 'name', a.name) from accounts a where a.id = s.created_by)`,
    readAccount,
  ),
  /** Time of the change that led to the state; null for the empty repo. */
  time: column.timestamptz.orNull('c.at'),
  fileCount: column.int4('coalesce(c.file_count, 0)'),
  totalBytes: column.int8('coalesce(c.total_bytes, 0)'),
  withdrawnCount: column.int4('coalesce(c.withdrawn_count, 0)'),
})

export type RepoSnapshot = RowOf<typeof snapshotColumns>

const snapshotTables = 'repo_snapshots s left join repo_changes c on c.repo_id = s.repo_id and c.seq = s.seq'

const byName = statement({
  name: 'repo-snapshot-by-name',
  exact: 'verb-answer',
  columns: snapshotColumns,
  params: { repoId: param.text(), name: param.text() },
  text: `select ${snapshotColumns.sql} from ${snapshotTables} where s.repo_id = :repoId and s.name = :name`,
})

const repoSnapshotRow = insertInto('repo_snapshots', {
  id: param.text(),
  repoId: param.text(),
  name: param.text(),
  seq: param.int4(),
  note: param.text.orNull(),
  createdBy: param.text.orNull(),
})

const insert = statement({
  name: 'repo-snapshot-insert',
  params: repoSnapshotRow.params,
  text: `with counted as (update repos set snapshot_count = snapshot_count + 1 where id = :repoId)
    ${repoSnapshotRow.sql}`,
})

export interface CreateSnapshotInput {
  readonly owner: string
  readonly repo: string
  readonly name: string
  readonly at?: string | null
  readonly note?: string | null
}

/**
 * Names the state `at`, or the current one without `at`. Bytes that only snapshots keep count in the owner's storage.
 * Errors: 401, 403, 404 the repo or the state, 409 `conflict.taken` and `quota.snapshots`, 413 `quota.storage`, 422.
 */
export function createSnapshot(ctx: RequestContext, input: CreateSnapshotInput): Promise<RepoSnapshot> {
  return guarded(
    ctx,
    () => mayWrite(ctx, input, 'make a snapshot'),
    async (allowed, repo) => {
      const state = input.at == null ? null : await findState(allowed, repo, input.at)
      return commitVerb(allowed, (tx) => make({ ctx: allowed, tx, facts: repo, input, past: state?.seq ?? null }))
    },
    async ({ id, name }, repo) => {
      const [there] = await ctx.deps.db.query(byName, { repoId: repo.id, name: storedSnapshotName(name) })
      if (there?.id !== id) throw goneSnapshot(repo, name)
    },
  )
}

async function mayWrite(
  ctx: RequestContext,
  input: { readonly owner: string; readonly repo: string },
  action: string,
): Promise<RepoFacts> {
  const repo = await findRepoToWrite(ctx, input)
  assertNotJob(ctx.viewer, action)
  return repo
}

async function make({
  ctx,
  tx,
  facts,
  input: { name: given, note = null, at },
  past,
}: {
  readonly ctx: RequestContext
  readonly tx: Tx
  readonly facts: RepoFacts
  readonly input: CreateSnapshotInput
  readonly past: number | null
}): Promise<RepoSnapshot> {
  const repo = await lockRepo(tx, facts.id)
  if (!repo) throw notFound(`The repo ${facts.fullName}`)
  const name = storedSnapshotName(given)
  const [taken] = await tx.query(byName, { repoId: repo.id, name })
  if (taken) throw takenName(repo.fullName, taken)
  if (repo.snapshotCount >= MAX_SNAPSHOTS_PER_REPO) throw tooMany(repo)
  const seq = past ?? repo.seq
  const [state] = await tx.query(shareState, { repoId: repo.id, seq })
  if (!state && seq !== repo.seq && seq !== 0) throw goneState(repo.fullName, at ?? String(seq))
  const id = newId('snap')
  const createdBy = ctx.viewer.kind === 'anonymous' ? null : ctx.viewer.personId
  await tx.query(insert, { id, repoId: repo.id, name, seq, note, createdBy })
  if (seq !== repo.seq) {
    const bytes = await soleBytes(tx, { id, repoId: repo.id, seq })
    await countKeptBytes(tx, repo.id, bytes)
    await countBytes(tx, ctx.deps.config, repo.ownerId, bytes)
  }
  await audit(tx, ctx, {
    action: 'snapshot.create',
    accountId: repo.ownerId,
    targetId: repo.id,
    after: { name, seq },
  })
  const [made] = await tx.query(byName, { repoId: repo.id, name })
  if (!made) throw new Error('The snapshot was not made.')
  tx.afterCommit(() => ctx.deps.events.hint(repo.id))
  return made
}

const goneSnapshot = ({ fullName }: RepoFacts, name: string) => notFound(`The snapshot ${name} of ${fullName}`)

function takenName(fullName: string, { name, seq }: RepoSnapshot): HubError {
  const detail = `${fullName} already has a snapshot ${name}, of change ${seq}; delete it first, or choose another name.`
  return new HubError('conflict.taken', detail, { items: [{ type: 'conflict.taken', detail, loc: ['name'] }] })
}

function tooMany({ fullName, snapshotCount }: RepoFacts): HubError {
  const detail = `${fullName} has ${snapshotCount} snapshots, and a repo has at most ${MAX_SNAPSHOTS_PER_REPO}; delete some first.`
  const item = { snapshots: snapshotCount, limit_snapshots: MAX_SNAPSHOTS_PER_REPO }
  return new HubError('quota.snapshots', detail, {
    items: [{ type: 'quota.snapshots', detail, ...item }],
    facts: { limit: MAX_SNAPSHOTS_PER_REPO, used: snapshotCount },
  })
}

const remove = statement({
  name: 'repo-snapshot-delete',
  params: { id: param.text(), repoId: param.text(), bytes: param.int8() },
  text: `with gone as (delete from repo_snapshots where id = :id),
      repo as (update repos set snapshot_count = snapshot_count - 1, snapshot_bytes = snapshot_bytes - :bytes::bigint
        where id = :repoId returning owner_id)
    update accounts a set storage_bytes = a.storage_bytes - :bytes::bigint from repo where a.id = repo.owner_id`,
})

/**
 * Deletes a snapshot. Bytes that only this snapshot kept no longer count, and collection removes them once the grace
 * period is over. Errors: 401, 403 (also every agent key), 404.
 */
export function deleteSnapshot(
  ctx: RequestContext,
  input: { readonly owner: string; readonly repo: string; readonly name: string },
): Promise<{ name: string }> {
  return guarded(
    ctx,
    async () => {
      const repo = await mayWrite(ctx, input, 'delete a snapshot')
      assertNotAgent(ctx.viewer, 'delete a snapshot')
      return repo
    },
    (allowed, facts) => commitVerb(allowed, (tx) => unmake(allowed, tx, facts, input.name)),
  )
}

async function unmake(ctx: RequestContext, tx: Tx, facts: RepoFacts, name: string): Promise<{ name: string }> {
  const repo = await lockRepo(tx, facts.id)
  const stored = { repoId: facts.id, name: storedSnapshotName(name) }
  const [snapshot] = repo ? await tx.query(byName, stored) : []
  if (!repo || !snapshot) throw goneSnapshot(facts, name)
  const bytes = await soleBytes(tx, snapshot)
  await lockAccounts(tx, [repo.ownerId])
  await tx.query(remove, { id: snapshot.id, repoId: repo.id, bytes })
  await ctx.deps.queue.send(tx, 'files-unpin', { repoIds: [repo.id] })
  await audit(tx, ctx, {
    action: 'snapshot.delete',
    accountId: repo.ownerId,
    targetId: repo.id,
    before: { name: stored.name, seq: snapshot.seq },
  })
  tx.afterCommit(() => ctx.deps.events.hint(repo.id))
  return { name }
}

/**
 * A snapshot by name, for every caller who sees the repo; null if there is none. Errors: 404 the repo. Two statements.
 */
export async function getSnapshot(
  ctx: RequestContext,
  input: { readonly owner: string; readonly repo: string; readonly name: string },
): Promise<RepoSnapshot | null> {
  const repo = await findRepo(ctx, { owner: input.owner, slug: input.repo })
  const [snapshot] = await ctx.deps.db.query(byName, { repoId: repo.id, name: storedSnapshotName(input.name) })
  return snapshot ?? null
}

const snapshotsPage = statement({
  name: 'repo-snapshots-page',
  exact: 'per-parent',
  columns: snapshotColumns,
  params: { repoIds: param.texts(), after: param.text.orNull(), limit: param.int8() },
  text: `select ${snapshotColumns.sql} from unnest(:repoIds::text[]) as q(repo_id)
    cross join lateral (select * from repo_snapshots where repo_id = q.repo_id and id < coalesce(:after::text, 'snap_z')
      order by id desc limit :limit) s
    left join repo_changes c on c.repo_id = s.repo_id and c.seq = s.seq order by s.repo_id, s.id desc`,
})

/**
 * A page for each repo that the caller can see, newest first, in the order requested. One statement. 422
 * `validation.cursor`.
 */
export async function snapshotsOfRepos(
  { deps }: Pick<RequestContext, 'deps'>,
  repoIds: readonly string[],
  { limit, after }: { readonly limit: number; readonly after: string | null },
): Promise<Page<RepoSnapshot>[]> {
  const [last] = after === null ? [null] : decodeCursor<[string]>('snapshots', after, [idPart('snap')])
  const rows = await deps.db.query(snapshotsPage, { repoIds, after: last, limit: limit + 1 })
  const byRepo = Map.groupBy(rows, (row) => row.repoId)
  return repoIds.map((id) => {
    const found = byRepo.get(id) ?? []
    return {
      nodes: found.slice(0, limit),
      hasNextPage: found.length > limit,
      cursorOf: (snapshot) => encodeCursor('snapshots', [snapshot.id]),
    }
  })
}
