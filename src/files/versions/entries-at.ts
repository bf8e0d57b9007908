/** What a state has at some paths: a file, or a folder, which is there because a file is in it. */
import type { RequestContext } from '../../operation/context.ts'
import { column } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { fileEntryColumns, type RepoFileEntry } from '../file-entry.ts'
import { goneState, type RepoState } from './states.ts'
import { inState, stateIsThere } from './tree-at.ts'

/** One path of a state. */
export interface RepoEntry {
  readonly path: string
  /** Null for a folder. */
  readonly file: RepoFileEntry | null
}

/** Paths of one request. */
export const MAX_ENTRY_PATHS = 1000

const isFolder = `exists (select 1 from files i where ${inState('i')}
      and i.path >= w.path || '/' and i.path < w.path || '0')`

const entryColumns = fileEntryColumns.with({
  asked: column.text('w.path'),
  hasFile: column.bool('f.path is not null'),
  isFolder: column.bool(`f.path is null and ${isFolder}`),
})

/** A row for each path, in the order asked; none if the state no longer exists. */
export const entriesOfState = statement({
  name: 'files-entries-at',
  exact: 'hot',
  columns: entryColumns,
  params: { repoId: param.text(), seq: param.int4(), paths: param.texts() },
  text: `select ${entryColumns.sql} from (select :repoId::text as repo_id, :seq::int as seq) q
    cross join unnest(:paths::text[]) with ordinality as w(path, place)
    left join (files f join blobs b on b.id = f.blob_id) on ${inState('f')} and f.path = w.path
    where ${stateIsThere} order by w.place`,
})

/** The files and folders at those of the paths that the state has, in their order. 404 if it is gone. One statement. */
export async function entriesOf(
  ctx: Pick<RequestContext, 'deps'>,
  state: RepoState,
  paths: readonly string[],
): Promise<RepoEntry[]> {
  const { repoId, seq, fullName } = state
  if (paths.length === 0) return []
  const rows = await ctx.deps.db.query(entriesOfState, { repoId, seq, paths: [...paths] })
  if (rows.length === 0) throw goneState(fullName, String(seq))
  return rows.flatMap(({ asked, hasFile, isFolder, ...file }) =>
    hasFile || isFolder ? [{ path: asked, file: hasFile ? file : null }] : [],
  )
}
