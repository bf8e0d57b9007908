/** The files of a folder in a version of a repo, as many as an archive may have. */
import { pathFault, prefixSuccessor } from '@hub/text/file-path'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { MAX_ARCHIVE_FILES } from '../limits.ts'
import { goneState, type RepoState } from '../versions/states.ts'
import { inState, stateIsThere } from '../versions/tree-at.ts'

const fileColumns = columns({
  path: column.text.orNull('f.path'),
  size: column.int8.orNull('b.size'),
  sha256: column.text.orNull('b.sha256'),
  storageKey: column.text.orNull('b.storage_key'),
})

const params = {
  repoId: param.text(),
  seq: param.int4(),
  lower: param.text(),
  upper: param.text(),
  limit: param.int8(),
}

const inFolder = `select i.path, i.blob_id from files i
      where ${inState('i')} and i.path >= :lower and i.path < :upper order by i.path limit :limit`
const bytesOfFile =
  'left join lateral (select size, sha256, storage_key from blobs where id = f.blob_id offset 0) b on true'
const ofVersion = `(select :repoId::text as repo_id, :seq::int as seq) q`

/** One row of nulls where the version has nothing in the folder, and none if it is gone. */
const folderFiles = statement({
  name: 'files-of-folder',
  exact: 'hot',
  columns: fileColumns,
  params,
  text: `select ${fileColumns.sql} from ${ofVersion} left join lateral (${inFolder}) f on true ${bytesOfFile}
    where ${stateIsThere} order by f.path`,
})

const sumColumns = columns({
  count: column.int4('count(f.path)::int'),
  totalBytes: column.int8('coalesce(sum(b.size), 0)::int8'),
})

/** One row; none if the version is gone. */
const folderSum = statement({
  name: 'folder-sum',
  exact: 'aggregate',
  columns: sumColumns,
  params,
  text: `select ${sumColumns.sql} from ${ofVersion} left join lateral (${inFolder}) f on true ${bytesOfFile}
    where ${stateIsThere} group by q.seq`,
})

/** How much is in a folder. */
export interface FolderSum {
  /** One more than an archive may have where there are more. */
  readonly count: number
  /** Of the files that are counted. */
  readonly totalBytes: number
}

/** A file of the folder. */
interface FolderFile {
  readonly path: string
  readonly size: number
  readonly sha256: string | null
  readonly storageKey: string
}

/** The folder as it is stored: without a slash at its end, '' for the root. 422 `validation.path`. */
export function folderPath(given: string, loc: readonly string[]): string {
  const path = given.endsWith('/') ? given.slice(0, -1) : given
  const fault = path === '' ? null : pathFault(path)
  if (fault) throw invalid('validation.path', `The path ${fault}.`, loc)
  return path
}

const placeOf = ({ repoId, seq }: RepoState, folder: string) => {
  const prefix = folder === '' ? '' : `${folder}/`
  return { repoId, seq, lower: prefix, upper: prefixSuccessor(prefix), limit: MAX_ARCHIVE_FILES + 1 }
}

/** What is in the folder; of the root what the version says of itself. 404 if the version is gone. */
export async function sumOfFolder(
  { deps: { db } }: Pick<RequestContext, 'deps'>,
  state: RepoState,
  folder: string,
): Promise<FolderSum> {
  const { count, totalBytes } = state.fileSummary
  if (folder === '') return { count, totalBytes }
  const [sum] = await db.query(folderSum, placeOf(state, folder))
  if (!sum) throw goneState(state.fullName, String(state.seq))
  return sum
}

/** The files in byte order of path, one more than an archive may have at most. 404 for a folder that is not there. */
export async function filesOfFolder(
  { deps: { db } }: Pick<RequestContext, 'deps'>,
  state: RepoState,
  folder: string,
): Promise<FolderFile[]> {
  const rows = await db.query(folderFiles, placeOf(state, folder))
  if (rows.length === 0) throw goneState(state.fullName, String(state.seq))
  const files = rows.flatMap(({ path, size, storageKey, sha256 }) =>
    path === null || size === null || storageKey === null ? [] : [{ path, size, storageKey, sha256 }],
  )
  if (files.length > 0) return files
  const what = folder === '' ? 'file' : `folder ${JSON.stringify(folder)}`
  throw new HubError(
    'not_found',
    `${state.fullName} has no ${what} in change ${state.seq}; \`resolve\` has single files.`,
  )
}
