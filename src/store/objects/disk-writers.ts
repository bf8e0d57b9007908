/** The parts that are being written right now: ended with their upload, and few of them beside a part that is there already. */
import { noSuchUpload } from './disk-layout.ts'
import { ObjectStoreError } from './object-store.ts'

/**
 * A part that is sent again lies on the disk twice until the second one is whole, and only one of the two was reserved. So this many are taken at a time,
 * in the whole store: what lies on the disk is at most so many parts more than what is reserved.
 */
export const MAX_REPLACEMENTS = 16

export interface PartWriters {
  /** Runs `write` with a signal that ends it when the upload ends, or when `signal` does. `busy` for a replacement too many. */
  run<T>(
    uploadId: string,
    replaces: boolean,
    signal: AbortSignal | undefined,
    write: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>
  /** Ends what is being written for an upload that is no more, and waits until nothing is left of it. */
  end(uploadId: string): Promise<void>
}

/** No writers yet. */
export function partWriters(): PartWriters {
  const underWay = new Map<string, Map<AbortController, Promise<unknown>>>()
  let replacements = 0

  const run: PartWriters['run'] = async (uploadId, replaces, signal, write) => {
    if (replaces && replacements >= MAX_REPLACEMENTS)
      throw new ObjectStoreError('busy', 'Too many parts are being sent a second time right now; try again.')
    if (replaces) replacements += 1
    const ended = new AbortController()
    const work = write(signal ? AbortSignal.any([signal, ended.signal]) : ended.signal)
    const writers = underWay.get(uploadId) ?? new Map<AbortController, Promise<unknown>>()
    underWay.set(uploadId, writers.set(ended, work))
    try {
      return await work
    } finally {
      if (replaces) replacements -= 1
      writers.delete(ended)
      if (writers.size === 0) underWay.delete(uploadId)
    }
  }

  const end = async (uploadId: string) => {
    const writers = [...(underWay.get(uploadId) ?? [])]
    for (const [ended] of writers) ended.abort(noSuchUpload())
    await Promise.allSettled(writers.map(([, work]) => work))
  }

  return { run, end }
}
