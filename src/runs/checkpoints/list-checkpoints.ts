/**
 * listRunCheckpoints (spec, "GET /v1/runs/{run_id}/checkpoints"): the checkpoints of any number of runs, read in one
 * statement.
 */

import { prefixSuccessor } from '@hub/text/file-path'
import { repoViewer, visibleRepos } from '../../auth/policy.ts'
import { fileEntryColumns, type RepoFileEntry } from '../../files/file-entry.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { visibleRepo } from '../../repos/repo-shape.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { CHECKPOINT_PREFIX, checkpointsOf, type RunCheckpoint } from './checkpoints.ts'

/** A checkpoint with the id of its repo. */
export type ListedCheckpoint = RunCheckpoint & { readonly repoId: string }

export interface CheckpointList {
  /** Oldest step first. */
  readonly items: readonly ListedCheckpoint[]
  /** The run's output repo. Null if the run has none yet, or if the caller may not see the repo. */
  readonly repo: { readonly id: string; readonly fullName: string } | null
  /** Why the run cannot be the parent of a fine-tune; null if it can. */
  readonly notFineTunable: string | null
}

/**
 * The list is not paged. If a run has more checkpoint files than this, the caller must list the repo's tree instead.
 */
const MAX_FILES = 20_000

const rowColumns = columns({
  repoId: column.text('r.id'),
  fullName: column.text("o.handle || '/' || r.slug"),
}).withOptional('e', fileEntryColumns)
type FileRow = RowOf<typeof rowColumns>

/**
 * A repo without checkpoints yields one row whose file columns are null. `offset 0` makes PostgreSQL look up each blob
 * by key.
 */
const checkpointFiles = statement({
  name: 'run-checkpoint-files',
  exact: 'per-parent',
  columns: rowColumns,
  params: {
    ...repoViewer,
    ids: param.texts(),
    lower: param.text(),
    upper: param.text(),
    limit: param.int8(),
  },
  text: `select ${rowColumns.sql}
    from repos r join accounts o on o.id = r.owner_id
    left join lateral (select ${fileEntryColumns.sql} from files f
      cross join lateral (select size, etag, sha256 from blobs where id = f.blob_id offset 0) b
      where f.repo_id = r.id and f.to_seq is null and f.path >= :lower and f.path < :upper
        order by f.path limit :limit) e on true
    where r.id = any(:ids::text[]) and ${visibleRepo}`,
})

/**
 * The checkpoints of runs, given their output repos (null: none yet), in the order of `repoIds`. `too_large` for a run
 * with more than 20,000 files.
 */
export async function listCheckpoints(
  ctx: RequestContext,
  repoIds: readonly (string | null)[],
): Promise<(CheckpointList | HubError)[]> {
  const asked = [...new Set(repoIds.filter((id) => id !== null))]
  const range = { lower: CHECKPOINT_PREFIX, upper: prefixSuccessor(CHECKPOINT_PREFIX), limit: MAX_FILES + 1 }
  const rows =
    asked.length === 0
      ? []
      : await ctx.deps.db.query(checkpointFiles, { ...visibleRepos(ctx.viewer), ids: asked, ...range })
  const byRepo = Map.groupBy(rows, ({ repoId }) => repoId)
  return repoIds.map((id) => toList(id, (id && byRepo.get(id)) || []))
}

function toList(repoId: string | null, rows: readonly FileRow[]): CheckpointList | HubError {
  const [first] = rows
  if (repoId === null) return { items: [], repo: null, notFineTunable: 'The run has no output repo yet.' }
  if (!first) return { items: [], repo: null, notFineTunable: 'The output repo of the run is not visible to you.' }
  if (rows.length > MAX_FILES) return tooMany(first.fullName)
  const files = rows.flatMap(({ repoId: _repo, fullName: _name, ...file }) => (isFile(file) ? [file] : []))
  const items = checkpointsOf(files).map((checkpoint) => ({ ...checkpoint, repoId: first.repoId }))
  const notFineTunable = items.length > 0 ? null : 'The run has published no checkpoint yet.'
  return { items, repo: { id: first.repoId, fullName: first.fullName }, notFineTunable }
}

/** The columns of a left join are null together. */
const isFile = (file: { readonly path: string | null }): file is RepoFileEntry => file.path !== null

const tooMany = (fullName: string) =>
  new HubError(
    'too_large',
    `The checkpoints of ${fullName} have more than ${MAX_FILES} files: list its tree instead.`,
    {
      facts: { unit: 'files', limit: MAX_FILES, used: null },
    },
  )
