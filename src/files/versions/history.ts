/** The history of a repo: its changes, newest first, each with the state that it led to. */

import { readAccount } from '../../auth/account-json.ts'
import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, type KeyPart, type Page } from '../../platform/page.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { texts } from '../../store/read-json.ts'
import { param, statement } from '../../store/statement.ts'
import { writtenSnapshotName } from './state-name.ts'

/** Names of snapshots of the state `c`, which keep it, as requests write them. */
export const snapshotNames = column.json(
  `coalesce((select json_agg(${writtenSnapshotName('s.name')} order by s.name) from repo_snapshots s where s.repo_id = c.repo_id and s.seq = c.seq), '[]')`,
  texts,
)

const changeColumns = columns({
  repoId: column.text('c.repo_id'),
  fullName: column.text("o.handle || '/' || r.slug"),
  seq: column.int4('c.seq'),
  commitId: column.text('c.commit_id'),
  message: column.text.orNull('c.message'),
  /** The run that made it. Not for every reader. */
  runId: column.text.orNull('c.run_id'),
  time: column.timestamptz('c.at'),
  replacedAt: column.timestamptz.orNull('c.replaced_at'),
  action: column.enum('RepoChangeAction', 'c.action'),
  /** Null for background work. */
  actor: column.json.orNull(
    `(select json_build_object('id', a.id, 'kind', a.kind, 'handle', a.handle, 'name', a.name) from accounts a where a.id = c.actor_id)`,
    readAccount,
  ),
  filesAdded: column.int4('c.files_added'),
  filesRemoved: column.int4('c.files_removed'),
  filesChanged: column.int4('c.files_changed'),
  bytesAdded: column.int8('c.bytes_added'),
  bytesRemoved: column.int8('c.bytes_removed'),
  fileCount: column.int4('c.file_count'),
  totalBytes: column.int8('c.total_bytes'),
  withdrawnCount: column.int4('c.withdrawn_count'),
  snapshots: snapshotNames,
  /** Whether a run pinned the state, or a check may still read it. */
  // `offset 0`: looked up for each change, where all pins of the hub may be read into a hash table.
  isPinned: column.bool(`(exists (select 1 from run_datasets d where d.repo_id = c.repo_id and d.seq = c.seq offset 0)
      or exists (select 1 from robot_checks k where k.source_repo_id = c.repo_id and k.source_seq = c.seq
      and k.published_at is null
        and k.status in ('queued', 'running', 'succeeded')))`),
  isCurrent: column.bool('c.seq = r.seq'),
})

type ChangeRow = RowOf<typeof changeColumns>

/**
 * A change of a repo's files. `keptUntil`: the state is kept at least until this time; null without a limit, for the
 * current state and for states that a snapshot names or a job pins.
 */
export type RepoChange = ChangeRow & { readonly keptUntil: string | null }

const historyPage = statement({
  name: 'repo-history',
  exact: 'per-parent',
  columns: changeColumns,
  params: { repoIds: param.texts(), before: param.int4(), limit: param.int8() },
  text: `select ${changeColumns.sql} from repos r join accounts o on o.id = r.owner_id
    cross join lateral (select * from repo_changes where repo_id = r.id and seq < :before
      order by seq desc limit :limit) c
    where r.id = any(:repoIds::text[]) order by r.id, c.seq desc`,
})

/** Above every change number. */
export const END_SEQ = 2_147_483_647

/** Whether a part of a cursor is the number of a change. */
export const isSeqBelowEnd = (part: KeyPart): part is number =>
  Number.isInteger(part) && Number(part) > 0 && Number(part) <= END_SEQ

interface HistoryPage {
  readonly limit: number
  readonly after: string | null
}

/** A page for each repo that the caller may write, in the order requested. One statement. 422 `validation.cursor`. */
export async function historyOfRepos(
  { deps: { db, config } }: Pick<RequestContext, 'deps'>,
  repoIds: readonly string[],
  { limit, after }: HistoryPage,
): Promise<Page<RepoChange>[]> {
  const [before] = after === null ? [END_SEQ] : decodeCursor<[number]>('history', after, [isSeqBelowEnd])
  const rows = await db.query(historyPage, { repoIds, before, limit: limit + 1 })
  const byRepo = Map.groupBy(rows, (row) => row.repoId)
  return repoIds.map((id) => {
    const found = byRepo.get(id) ?? []
    return {
      nodes: found.slice(0, limit).map((row) => ({ ...row, keptUntil: keptUntil(row, config.gcGraceSeconds) })),
      hasNextPage: found.length > limit,
      cursorOf: ({ seq }) => encodeCursor('history', [seq]),
    }
  })
}

function keptUntil(row: ChangeRow, graceSeconds: number): string | null {
  if (row.replacedAt === null || row.isPinned || row.snapshots.length > 0) return null
  return new Date(Date.parse(row.replacedAt) + graceSeconds * 1000).toISOString()
}
