/** Files that go over as they are, by parts. */
import type { DatasetFiles } from '../check/dataset-files.ts'
import { CannotSelect, type CutSink } from './cut-sink.ts'

/** A file, and its path in the new data set. */
export interface FileCopy {
  readonly path: string
  readonly target: string
}

const PART_BYTES = 8 * 1024 * 1024
/** Files at once: most of the time of a small one is its way. */
const AT_ONCE = 4

/** Answers how many bytes there were. Rejects with `CannotSelect` where a file is not there. */
export async function copyFiles(
  files: DatasetFiles,
  sink: CutSink,
  copies: readonly FileCopy[],
  signal?: AbortSignal,
): Promise<number> {
  const missing = copies.find(({ path }) => !files.sizes.has(path))
  if (missing) throw new CannotSelect(`The file ${missing.path} is not there.`)
  const stopped = new AbortController()
  let total = 0
  let next = 0
  const work = async () => {
    for (let copy = copies[next++]; copy; copy = copies[next++]) {
      stopped.signal.throwIfAborted()
      const size = files.sizes.get(copy.path) ?? 0
      const file = await sink.create(copy.target)
      try {
        for (let start = 0; start < size; start += PART_BYTES) {
          signal?.throwIfAborted()
          await file.append(new Uint8Array(await files.read(copy.path, start, Math.min(size, start + PART_BYTES))))
        }
      } finally {
        await file.close()
      }
      total += size
    }
  }
  const workers = Array.from({ length: AT_ONCE }, () =>
    work().catch((error: unknown) => {
      stopped.abort(error)
      throw error
    }),
  )
  const failed = (await Promise.allSettled(workers)).find((one) => one.status === 'rejected')
  if (failed) throw stopped.signal.reason
  return total
}
