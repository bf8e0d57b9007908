/** The snapshot of a check for download by its worker: exactly the files of the time when the check was queued. */

import { baseName } from '@hub/text/file-path'
import type { RequestContext } from '../../operation/context.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { requireObjects } from '../../store/objects/required.ts'
import { param, statement } from '../../store/statement.ts'
import { CHECK_URL_TTL_SECONDS } from '../limits.ts'
import { atQueueTime, inSource } from '../snapshot-sql.ts'

const sourceColumns = columns({
  path: column.text('f.path'),
  sha256: column.text('b.sha256'),
  /** Bytes. */
  size: column.int8('b.size'),
  storageKey: column.text('b.storage_key'),
})

/** RobotCheckJobSource of the spec without its URL. */
export type CheckSource = RowOf<typeof sourceColumns>

const sourcesOf = statement({
  name: 'robot-check-sources',
  exact: 'in-transaction',
  columns: sourceColumns,
  params: { checkId: param.text() },
  text: `select ${sourceColumns.sql} from robot_checks u join files f on ${atQueueTime} and ${inSource} join blobs b on b.id = f.blob_id
    where u.id = :checkId order by f.path`,
})

/** The files of the snapshot, in byte order of path. */
export function readSources(querier: Querier, checkId: string): Promise<CheckSource[]> {
  return querier.query(sourcesOf, { checkId })
}

/** A URL that accepts GET for an hour. No network call. */
export function signSource(ctx: Pick<RequestContext, 'deps'>, { path, storageKey }: CheckSource): Promise<string> {
  return requireObjects(ctx.deps).signGet(storageKey, {
    ttlSeconds: CHECK_URL_TTL_SECONDS,
    downloadName: baseName(path),
  })
}
