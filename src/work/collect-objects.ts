/**
 * Collects objects that were written for a job but that no row names: the hub crashed before the transaction, or the
 * commit failed.
 */
import type { ObjectStore } from '../store/objects/object-store.ts'

const BATCH = 500

/** A report needs much less time between its object and its commit: the statement timeout is half a minute. */
const YOUNG_MS = 3_600_000

/** The objects of a kind of job. */
export interface JobObjects {
  /** Prefix of all keys: `runs/`. */
  readonly prefix: string
  /** When the object of a key was created; null for a key of another form, which is never collected. */
  readonly madeAtMs: (key: string) => number | null
  /** The keys that rows of these jobs name. */
  readonly namedOf: (jobIds: readonly string[], keys: readonly string[]) => Promise<readonly string[]>
  /** Whether deletions are held, because of a backup for example. */
  readonly isHeld: () => Promise<boolean>
}

/** Deletes the objects that no row names and that are older than an hour, a batch at a time. */
export async function collectObjects(
  objects: ObjectStore,
  { prefix, madeAtMs, namedOf, isHeld }: JobObjects,
  signal: AbortSignal,
  youngMs = YOUNG_MS,
): Promise<void> {
  const deleteUnnamed = async (keys: readonly string[]) => {
    const jobIds = [...new Set(keys.map((key) => key.slice(prefix.length).split('/')[0] ?? ''))]
    const named = new Set(await namedOf(jobIds, keys))
    const unnamed = keys.filter((key) => !named.has(key))
    if (unnamed.length > 0 && !(await isHeld())) await objects.delete(unnamed, signal)
  }
  let batch: string[] = []
  for await (const { key } of objects.list(prefix, signal)) {
    signal.throwIfAborted()
    const madeAt = madeAtMs(key)
    if (madeAt === null || madeAt > Date.now() - youngMs) continue
    batch.push(key)
    if (batch.length < BATCH) continue
    await deleteUnnamed(batch)
    batch = []
  }
  if (batch.length > 0) await deleteUnnamed(batch)
}
