/** Collection of objects that were written for a job but that no transaction refers to: the hub crashed between the two, or the commit was lost. */
import type { ObjectStore } from '../store/objects/object-store.ts'

const BATCH = 500

/** No report takes as long between its object and its commit: a statement ends after half a minute. */
const YOUNG_MS = 3_600_000

/** The objects of a kind of job. */
export interface JobObjects {
  /** Of all their keys: `runs/`. */
  readonly prefix: string
  /** When the object of a key was made; null for a key of another form, which is not theirs to judge. */
  readonly madeAtMs: (key: string) => number | null
  /** Which of the keys rows of these jobs name. */
  readonly namedOf: (jobIds: readonly string[], keys: readonly string[]) => Promise<readonly string[]>
  /** Whether nothing may be deleted now. */
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
