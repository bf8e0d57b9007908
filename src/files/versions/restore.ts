/**
 * Restoring a state: the live files become those of the state, as a new change that can itself be undone.
 * Contract, "Versions".
 */

import { z } from 'zod'
import { lockAccounts } from '../../accounts/lock-accounts.ts'
import { assertNotJob } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, notFound } from '../../platform/errors.ts'
import { DATASET_INFO_PATH, type DatasetInfo } from '../../repos/dataset-info.ts'
import { findRepoToWrite, lockRepo, type RepoFacts } from '../../repos/get-repo.ts'
import { upsertDatasetMeta } from '../../repos/put-meta.ts'
import type { ReadReadme } from '../../repos/readme/kept-cards.ts'
import { README_PATH } from '../../repos/readme/readme-card.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { insertSelected, sql } from '../../store/insert.ts'
import { type Given, param, statement } from '../../store/statement.ts'
import { MAX_FILES_PER_REQUEST } from '../limits.ts'
import { asLostFile } from '../lost-file.ts'
import { assertRestoredWithoutClash } from '../path-clashes.ts'
import { readInfo } from '../read-dataset-info.ts'
import { readReadme } from '../read-readme.ts'
import { countBytes } from '../reservation.ts'
import { fileOrFolder } from '../schemas.ts'
import { keptInRepo, settleKeptInRepo } from './kept-bytes.ts'
import { type ChangeMessage, recordChange } from './record-change.ts'
import { findState, goneState, type RepoState, shareState } from './states.ts'
import { storedInState } from './tree-at.ts'

export const restorePaths = z.array(fileOrFolder).min(1).max(MAX_FILES_PER_REQUEST)

export interface RestoreInput extends ChangeMessage {
  readonly owner: string
  readonly repo: string
  readonly at: string
  /** Files, and folders that end with `/`; all of the repo if absent. */
  readonly paths?: readonly string[] | null
  /** The expected change number of the repo; 412 if it differs. */
  readonly ifSeq?: number | null
}

export interface Restored {
  /** The repo's change number afterwards: that of the restoration, or the one before if nothing differed. */
  readonly seq: number
  readonly restoredSeq: number
  readonly added: number
  readonly removed: number
  readonly changed: number
}

const rangeParams = {
  repoId: param.text(),
  /** `seq` is the state to restore, `next` the number of the change that restores it. */
  seq: param.int4(),
  next: param.int4(),
  paths: param.texts.orNull(),
  folders: param.texts(),
}

const inRange = (path: string) =>
  `(:paths::text[] is null or ${path} = any(:paths::text[])
    or exists (select 1 from unnest(:folders::text[]) folder where starts_with(${path}, folder)))`
const inTarget = (alias: string) =>
  `${alias}.repo_id = :repoId and ${alias}.from_seq <= :seq and (${alias}.to_seq is null or ${alias}.to_seq > :seq)`

const closedColumns = columns({
  count: column.int4('count(*)::int'),
  bytes: column.int8('coalesce(sum(size), 0)::int8'),
  verified: column.int4('(count(*) filter (where verified))::int'),
})

/**
 * Closes live files that the state does not have, or has with other bytes. A path whose file was withdrawn from the
 * state keeps its live file.
 */
const close = statement({
  name: 'restore-close',
  columns: closedColumns,
  params: rangeParams,
  text: `with closed as (update files l set to_seq = :next, closed_at = now() from blobs lb
      where l.repo_id = :repoId and l.to_seq is null and l.from_seq > :seq and lb.id = l.blob_id
        and ${inRange('l.path')}
        and not exists (select 1 from files t join blobs tb on tb.id = t.blob_id
          where ${inTarget('t')} and t.path = l.path and tb.claimed = lb.claimed and tb.size = lb.size)
        and not exists (select 1 from withdrawn_files w where w.repo_id = :repoId and w.path = l.path
        and w.from_seq <= :seq and w.to_seq > :seq)
      returning lb.size, lb.sha256 is not null as verified)
    select ${closedColumns.sql} from closed`,
})

const openedColumns = closedColumns.with({ replaced: column.int4('(count(*) filter (where replaced))::int') })

const fileRow = insertSelected('files', {
  repoId: sql(':repoId'),
  fromSeq: sql(':next'),
  path: sql('t.path'),
  blobId: sql('t.blob_id'),
  mime: sql('t.mime'),
})

/**
 * Links the missing files of the state. The blobs need no lock: the rows of the state protect them from collection, the
 * shared lock of the state protects those rows, and both verification and purging of a blob lock the repos of all its
 * rows first.
 */
const open = statement({
  name: 'restore-open',
  columns: openedColumns,
  params: rangeParams,
  text: `with opened as (${fileRow.sql} from files t where ${inTarget('t')} and ${inRange('t.path')}
        and not exists (select 1 from files l where l.repo_id = :repoId and l.path = t.path and l.to_seq is null)
      returning path, blob_id)
    select ${openedColumns.sql} from (select b.size, b.sha256 is not null as verified,
      exists (select 1 from files c where c.repo_id = :repoId and c.path = o.path and c.to_seq = :next) as replaced
      from opened o join blobs b on b.id = o.blob_id) q`,
})

type Range = Given<typeof rangeParams>

/**
 * Restores a state, or some of its paths, in one transaction. Errors: 401, 403, 404 the repo or the state, 409
 * `conflict.path`, 412 `precondition.failed` if the repo has changed since `ifSeq`, 413 `quota.storage`, 422.
 */
export function restoreState(ctx: RequestContext, input: RestoreInput): Promise<Restored> {
  return guarded(
    ctx,
    async () => {
      const repo = await findRepoToWrite(ctx, input)
      assertNotJob(ctx.viewer, 'restore a state')
      return repo
    },
    async (allowed, facts) => {
      const state = await findState(allowed, facts, input.at)
      const read = await readState(allowed, facts, state)
      return commitVerb(allowed, (tx) => apply(allowed, tx, facts, { state, ...read, input }))
    },
  )
}

/** The files of a state that the hub itself reads, one read of the store for each that there is. */
async function readState(
  ctx: RequestContext,
  repo: RepoFacts,
  state: RepoState,
): Promise<Pick<Restoration, 'info' | 'readme'>> {
  const { db, objects } = ctx.deps
  if (!objects) return { info: null, readme: null }
  const paths = repo.kind === 'dataset' ? [DATASET_INFO_PATH, README_PATH] : [README_PATH]
  const files = await storedInState(ctx, state, paths)
  const [info, readme] = [DATASET_INFO_PATH, README_PATH].map((path) => files.find((file) => file.path === path))
  const readIt = async () =>
    info &&
    readInfo(objects, info, ctx.signal).catch(async (error: unknown) => {
      throw await asLostFile(db, info, error)
    })
  return { info: (await readIt()) ?? null, readme: readme ? await readReadme(ctx, objects, readme) : null }
}

interface Restoration {
  readonly state: RepoState
  /** The facts in the `meta/info.json` of a dataset; null if there are none. */
  readonly info: DatasetInfo | null
  readonly readme: ReadReadme | null
  readonly input: RestoreInput
}

async function apply(
  ctx: RequestContext,
  tx: Tx,
  facts: RepoFacts,
  { state, info, readme, input }: Restoration,
): Promise<Restored> {
  const repo = await lockRepo(tx, facts.id)
  if (!repo) throw notFound(`The repo ${facts.fullName}`)
  if (input.ifSeq != null && input.ifSeq !== repo.seq) throw movedOn(repo, input.ifSeq)
  const [shared] = await tx.query(shareState, { repoId: repo.id, seq: state.seq })
  if (!shared && state.seq !== repo.seq && state.seq !== 0) throw goneState(repo.fullName, input.at)
  const kept = await keptInRepo(tx, repo)
  const range: Range = {
    repoId: repo.id,
    seq: state.seq,
    next: repo.seq + 1,
    paths: input.paths?.filter((path) => !path.endsWith('/')) ?? null,
    folders: input.paths?.filter((path) => path.endsWith('/')) ?? [],
  }
  const [closed = nothing] = await tx.query(close, range)
  const [opened = nothing] = await tx.query(open, range)
  tx.madeRows(opened.count)
  if (opened.count > 0) await assertRestoredWithoutClash(tx, repo.id, range.next)
  const changed = opened.replaced
  const result = { restoredSeq: state.seq, added: opened.count - changed, removed: closed.count - changed, changed }
  if (closed.count + opened.count === 0) return { seq: repo.seq, ...result }
  // Before the facts of a data set, whose mark the change moves: as a commit.
  await lockAccounts(tx, [repo.ownerId])
  await recordChange({
    tx,
    ctx,
    repoId: repo.id,
    seq: range.next,
    action: 'restore',
    runId: isWhole(state, input) ? state.runId : null,
    message: input.message,
    readme,
    counts: {
      added: result.added,
      removed: result.removed,
      changed,
      bytesAdded: opened.bytes,
      bytesRemoved: closed.bytes,
      verified: opened.verified - closed.verified,
    },
  })
  const keptMore = await settleKeptInRepo(tx, repo, kept)
  await countBytes(tx, ctx.deps.config, repo.ownerId, opened.bytes - closed.bytes + keptMore)
  if (info && covers(input, DATASET_INFO_PATH))
    await tx.query(upsertDatasetMeta, { repoId: repo.id, ...info, isFromFile: true })
  await audit(tx, ctx, {
    action: 'files.restore',
    accountId: repo.ownerId,
    targetId: repo.id,
    before: { seq: repo.seq },
    after: { seq: range.next, ...result, ...(input.paths && { paths: input.paths }) },
  })
  tx.afterCommit(() => ctx.deps.events.hint(repo.id))
  return { seq: range.next, ...result }
}

const nothing = { count: 0, bytes: 0, verified: 0, replaced: 0 }

/** Then the repo has the files of the restored state, and no others. */
const isWhole = ({ withdrawnCount }: RepoState, { paths }: RestoreInput) => paths == null && withdrawnCount === 0

const covers = ({ paths }: RestoreInput, path: string) =>
  paths == null || paths.some((given) => given === path || (given.endsWith('/') && path.startsWith(given)))

function movedOn(repo: RepoFacts, ifSeq: number): HubError {
  const detail = `${repo.fullName} is at change ${repo.seq}, not ${ifSeq}: it was changed meanwhile. Look at what a restoration would undo, and repeat it with if_seq ${repo.seq}.`
  return new HubError('precondition.failed', detail, {
    items: [{ type: 'precondition.failed', detail, loc: ['ifSeq'], seq: repo.seq }],
  })
}
