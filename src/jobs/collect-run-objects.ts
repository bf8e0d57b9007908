/** Collection of the objects of runs that no row names. */
import type { Deps } from '../operation/context.ts'
import { RUN_PREFIX, runObjectMadeAtMs } from '../runs/log/run-objects.ts'
import { column, columns } from '../store/columns.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { param, statement } from '../store/statement.ts'
import { collectObjects } from '../work/collect-objects.ts'

const keyColumn = columns({ key: column<string>('storage_key') })
const namedKeys = statement({
  name: 'run-objects-named',
  columns: keyColumn,
  params: { runIds: param<readonly string[]>(), keys: param<readonly string[]>() },
  text: `select ${keyColumn.sql} from run_log_chunks where run_id = any(:runIds::text[]) and storage_key = any(:keys::text[])
    union all select config_key from runs where id = any(:runIds::text[]) and config_key is not null
    union all select scorecard_key from runs where id = any(:runIds::text[]) and scorecard_key is not null
    union all select 'runs/' || id || '/metrics.jsonl' from runs where id = any(:runIds::text[])`,
})

/** Deletes the objects of runs that no row names and that are older than an hour. What has a key of another form is not its own to judge. */
export function collectRunObjects(
  { db }: Pick<Deps, 'db'>,
  objects: ObjectStore,
  signal: AbortSignal,
  youngMs?: number,
): Promise<void> {
  const namedOf = async (runIds: readonly string[], keys: readonly string[]) =>
    (await db.query(namedKeys, { runIds, keys })).map(({ key }) => key)
  return collectObjects(objects, { prefix: RUN_PREFIX, madeAtMs: runObjectMadeAtMs, namedOf }, signal, youngMs)
}
