/**
 * The source of the subscription `repoFilesUpdated`: the state of a repo's files, and what led to it.
 * Contract, "Subscriptions".
 */

import { isId } from '@hub/formats/ids'
import { readAsNow } from '../../auth/current-viewer.ts'
import { seenBy } from '../../auth/event-viewer.ts'
import { mayWriteRepo } from '../../auth/may-write-repo.ts'
import { repoViewer, visibleRepos } from '../../auth/policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { currentCommitId, visibleRepo } from '../../repos/repo-shape.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'

/** The sum of the changes between two states; files are counted by path. */
export interface FileCounts {
  readonly filesAdded: number
  readonly filesRemoved: number
  readonly filesChanged: number
  readonly bytesAdded: number
  readonly bytesRemoved: number
}

export interface RepoFilesEvent {
  readonly repoId: string
  /** Number of the last change; names the state. */
  readonly seq: number
  /** Names the state too, as the repo itself does. */
  readonly commitId: string
  readonly fileCount: number
  readonly totalBytes: number
  /**
   * Changes since the previous event, or since `after`; null if they are not known, or the caller may not know them.
   */
  readonly changes: FileCounts | null
}

/** A gap of more changes is not summed up. */
const MAX_SUMMED_CHANGES = 10_000

const stateColumns = columns({
  id: column.text('r.id'),
  ownerId: column.text('r.owner_id'),
  visibility: column.enum('Visibility', 'r.visibility'),
  seq: column.int4('r.seq'),
  commitId: column.text(currentCommitId),
  fileCount: column.int4('r.file_count'),
  totalBytes: column.int8('r.total_bytes'),
  /** Number of changes that are on record. */
  known: column.int4('c.known'),
  filesAdded: column.int8('c.files_added'),
  filesRemoved: column.int8('c.files_removed'),
  filesChanged: column.int8('c.files_changed'),
  bytesAdded: column.int8('c.bytes_added'),
  bytesRemoved: column.int8('c.bytes_removed'),
})
type StateRow = RowOf<typeof stateColumns>

const sum = (name: string) => `coalesce(sum(c.${name}), 0)::bigint as ${name}`

const sums = ['files_added', 'files_removed', 'files_changed', 'bytes_added', 'bytes_removed'].map(sum).join(', ')

/** Uses the primary key of the change log. */
const filesSince = statement({
  name: 'repo-files-since',
  exact: 'followed',
  columns: stateColumns,
  params: { ...repoViewer, repoId: param.text(), after: param.int4.orNull() },
  text: `select ${stateColumns.sql} from repos r cross join lateral (
      select count(*)::int as known, ${sums}
      from repo_changes c where c.repo_id = r.id and c.seq > :after::int and c.seq <= r.seq
        and r.seq - :after::int <= ${MAX_SUMMED_CHANGES}) c
    where r.id = :repoId and ${visibleRepo}`,
})

async function readState(db: Querier, viewer: Viewer, repoId: string, after: number | null): Promise<StateRow | null> {
  const [row] = await db.query(filesSince, { ...visibleRepos(viewer), repoId, after })
  return row ?? null
}

/**
 * The current state at once, then the state after each change of the files; changes close together are one event.
 * `after` is the number of a state that the caller already has. Changes since that state are sent only to callers who
 * may write the repo, like its history. Ends when the repo is deleted or hidden. Errors before the first event: 404,
 * 422 for a number that the repo has not reached.
 */
export async function watchRepoFiles(
  ctx: RequestContext,
  { repoId, after }: { readonly repoId: string; readonly after?: number | null },
): Promise<AsyncGenerator<RepoFilesEvent>> {
  const first = isId('repo', repoId) ? await readState(ctx.deps.db, ctx.viewer, repoId, after ?? null) : null
  if (!first) throw notFound(`The repo ${repoId.slice(0, 64)}`)
  if (after != null && after > first.seq)
    throw invalid('validation.value', `The repo has had ${first.seq} changes.`, ['after'])
  return following(ctx, first, after ?? null)
}

async function* following(ctx: RequestContext, first: StateRow, after: number | null): AsyncGenerator<RepoFilesEvent> {
  yield eventOf(first, mayWriteRepo(ctx.viewer, first) ? after : null)
  let { seq } = first
  let { viewer } = ctx
  for await (const _hint of ctx.deps.events.watch(first.id, ctx.signal)) {
    const since = seq
    const seen = await readAsNow(ctx.deps.db, viewer, (now) => readState(ctx.deps.db, now, first.id, since))
    if (!seen) return
    const state = seen.found
    viewer = seen.viewer
    if (state.seq === seq) continue
    yield seenBy(viewer, eventOf(state, seq))
    seq = state.seq
  }
}

function eventOf(
  { id: repoId, seq, commitId, fileCount, totalBytes, known, ...counts }: StateRow,
  after: number | null,
) {
  const { filesAdded, filesRemoved, filesChanged, bytesAdded, bytesRemoved } = counts
  // Collection may have dropped the record of a change.
  const isKnown = after !== null && known === seq - after
  const changes = isKnown ? { filesAdded, filesRemoved, filesChanged, bytesAdded, bytesRemoved } : null
  return { repoId, seq, commitId, fileCount, totalBytes, changes }
}
