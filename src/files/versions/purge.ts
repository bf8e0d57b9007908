/**
 * Purging files: their bytes leave every state of the repo, for a secret that was pushed by mistake.
 * Contract, "Versions".
 */
import { lockAccounts } from '../../accounts/lock-accounts.ts'
import { assertNotAgent, assertNotJob } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { findRepoToWrite, lockRepo, type RepoFacts } from '../../repos/get-repo.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { unstore } from '../delete-files.ts'
import { assertDistinct } from '../duplicates.ts'
import { keptBytes, settleKept } from './kept-bytes.ts'
import { type ChangeMessage, recordChange } from './record-change.ts'
import { type WithdrawnRow, withdrawPaths } from './withdraw.ts'

export interface PurgeInput extends ChangeMessage {
  readonly owner: string
  readonly repo: string
  readonly paths: readonly string[]
}

export interface PurgedPaths {
  readonly purged: readonly string[]
  /** Requested paths that no state has; also those that were purged before. */
  readonly missing: readonly string[]
}

const idColumn = columns({ id: column.text('id') })

/**
 * FOR UPDATE, like collection: the statement waits for a concurrent link of equal bytes, whose file row then keeps the
 * blob.
 */
const lockBlobs = statement({
  name: 'purge-lock-blobs',
  columns: idColumn,
  params: { repoId: param.text(), paths: param.texts() },
  text: `select ${idColumn.sql} from blobs where id in (select blob_id from files where repo_id = :repoId and path = any(:paths::text[])) order by id for update`,
})

/** Sets `doomed_at` to the epoch, so that collection does not wait until signed URLs have expired. */
const doomAtOnce = statement({
  name: 'purge-doom-blobs',
  params: { ids: param.texts() },
  text: `update blobs b set state = 'doomed', doomed_at = 'epoch'
    where b.id = any(:ids::text[]) and b.state = 'live' and not exists (select 1 from files f where f.blob_id = b.id)
      and not exists (select 1 from rollout_episodes e where e.blob_id = b.id)`,
})

/** The most purged versions that an audit row names. */
const NAMED = 1000

/**
 * Removes these paths from all states: the current one, the history, and the states that snapshots name or runs pinned.
 * Objects that no other file uses are deleted at once, so their signed URLs stop working. Errors: 401, 403 (also every
 * agent key and job key), 404, 422.
 */
export function purgeFiles(ctx: RequestContext, input: PurgeInput): Promise<PurgedPaths> {
  return guarded(
    ctx,
    async () => {
      const repo = await findRepoToWrite(ctx, input)
      assertNotAgent(ctx.viewer, 'purge files')
      assertNotJob(ctx.viewer, 'purge files')
      return repo
    },
    async (allowed, facts) => {
      assertDistinct(input.paths, 'path', (index) => ['paths', index])
      return commitVerb(allowed, (tx) => purge(allowed, tx, facts, input))
    },
  )
}

async function purge(
  ctx: RequestContext,
  tx: Tx,
  facts: RepoFacts,
  { paths, message }: PurgeInput,
): Promise<PurgedPaths> {
  const repo = await lockRepo(tx, facts.id)
  if (!repo) throw notFound(`The repo ${facts.fullName}`)
  const kept = await keptBytes(tx, repo, paths)
  await lockAccounts(tx, [repo.ownerId])
  const blobs = await tx.query(lockBlobs, { repoId: repo.id, paths })
  const rows = await withdrawPaths(tx, repo.id, paths)
  const found = new Set(rows.map(({ path }) => path))
  const result = { purged: paths.filter((path) => found.has(path)), missing: paths.filter((path) => !found.has(path)) }
  if (rows.length === 0) return result
  await tx.query(doomAtOnce, { ids: blobs.map(({ id }) => id) })
  await countPurged(ctx, tx, repo, { rows, message })
  await settleKept(tx, repo, paths, kept)
  await ctx.deps.queue.send(tx, 'objects-delete', {})
  await audit(tx, ctx, {
    action: 'files.purge',
    accountId: repo.ownerId,
    targetId: repo.id,
    before: {
      versions: rows.length,
      files: rows.slice(0, NAMED).map(({ path, size, claimed }) => ({ path, size, sha256: claimed })),
    },
    after: { seq: repo.seq + 1 },
  })
  tx.afterCommit(() => ctx.deps.events.hint(repo.id))
  return result
}

async function countPurged(
  ctx: RequestContext,
  tx: Tx,
  repo: RepoFacts,
  { rows, message }: ChangeMessage & { readonly rows: readonly WithdrawnRow[] },
): Promise<void> {
  const live = rows.filter((row) => row.wasLive)
  const bytes = live.reduce((sum, row) => sum + row.size, 0)
  const verified = live.filter((row) => row.isVerified).length
  if (bytes > 0) await tx.query(unstore, { id: repo.ownerId, bytes })
  const none = { added: 0, changed: 0, bytesAdded: 0 }
  const gone = { removed: live.length, bytesRemoved: bytes, verified: -verified }
  const counts = { ...none, ...gone }
  await recordChange({ tx, ctx, repoId: repo.id, seq: repo.seq + 1, action: 'purge', message, counts })
}
