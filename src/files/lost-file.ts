/** A file whose object is not in the store: lost, or deleted while it was read. */
import { HubError } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { isNoSuchObject, lostObject } from '../store/objects/lost-object.ts'
import { param, statement } from '../store/statement.ts'

const stateColumn = columns({ isLive: column.bool(`b.state = 'live'`) })

const blobByKey = statement({
  name: 'blob-by-key',
  exact: 'lost-object',
  columns: stateColumn,
  params: { storageKey: param.text() },
  text: `select ${stateColumn.sql} from blobs b where b.storage_key = :storageKey`,
})

/**
 * The error of a failed read of a file. 502 `store.lost` if the hub still has the bytes by its own account; 409
 * `conflict.in_progress` if they have been deleted since their row was read; any other error unchanged.
 */
export async function asLostFile(
  querier: Querier,
  { path, storageKey }: { readonly path: string; readonly storageKey: string },
  error: unknown,
): Promise<unknown> {
  if (!isNoSuchObject(error)) return error
  const [blob] = await querier.query(blobByKey, { storageKey })
  if (blob?.isLive) return lostObject(`The file ${JSON.stringify(path)}`, error, storageKey)
  return new HubError('conflict.in_progress', `${JSON.stringify(path)} was deleted while it was read; try again.`)
}
