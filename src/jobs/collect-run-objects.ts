/** Collection of what a report wrote into the store and no transaction named: its hub died between the two, or its commit was lost. */
import type { Deps } from '../operation/context.ts'
import { RUN_PREFIX, runObjectMadeAtMs } from '../runs/log/run-objects.ts'
import type { Statement } from '../store/db.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'

const BATCH = 500

/** No report takes as long between its object and its commit: a statement ends after half a minute. */
const YOUNG_MS = 3_600_000

const namedKeys: Statement<{ key: string }> = {
  name: 'run-objects-named',
  text: `select storage_key as key from run_log_chunks where run_id = any($1::text[]) and storage_key = any($2::text[])
    union all select config_key from runs where id = any($1::text[]) and config_key is not null
    union all select scorecard_key from runs where id = any($1::text[]) and scorecard_key is not null
    union all select 'runs/' || id || '/metrics.jsonl' from runs where id = any($1::text[])`,
}

/** Deletes the objects of runs that no row names and that are older than an hour. What has a key of another form is not its own to judge. */
export async function collectRunObjects(
  deps: Pick<Deps, 'db'>,
  objects: ObjectStore,
  signal: AbortSignal,
  youngMs = YOUNG_MS,
): Promise<void> {
  let batch: string[] = []
  for await (const { key } of objects.list(RUN_PREFIX, signal)) {
    signal.throwIfAborted()
    const madeAt = runObjectMadeAtMs(key)
    if (madeAt === null || madeAt > Date.now() - youngMs) continue
    batch.push(key)
    if (batch.length < BATCH) continue
    await deleteUnnamed(deps, objects, batch, signal)
    batch = []
  }
  if (batch.length > 0) await deleteUnnamed(deps, objects, batch, signal)
}

async function deleteUnnamed(
  deps: Pick<Deps, 'db'>,
  objects: ObjectStore,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const runIds = [...new Set(keys.map((key) => key.split('/')[1] ?? ''))]
  const named = new Set((await deps.db.query(namedKeys, [runIds, keys])).map((row) => row.key))
  const unnamed = keys.filter((key) => !named.has(key))
  if (unnamed.length > 0) await objects.delete(unnamed, signal)
}
