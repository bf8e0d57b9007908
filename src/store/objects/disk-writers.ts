/**
 * The parts that are being written right now: ended with their upload, and few of them next to a part that is there
 * already.
 */
import { noSuchUpload } from './disk-layout.ts'
import { ObjectStoreError } from './object-store.ts'

/**
 * A part that is sent again is on the disk twice until the second copy is complete, and only one of the two was
 * reserved. So the store accepts this many at a time: the disk holds at most so many parts more than are reserved.
 */
export const MAX_REPLACEMENTS = 16
/**
 * Of these, those of one sender: a part may take days to come, and who sends all of them so would stop everyone else.
 */
export const MAX_OF_SENDER = 8

export interface PartWrite {
  readonly uploadId: string
  /** Whether the part is there already. */
  readonly replaces: boolean
  /** Who sends it; all without a name are one sender. */
  readonly sender?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface PartWriters {
  /**
   * Runs `write` with a signal that ends it when the upload ends, or when the part's own does. `busy` for a replacement
   * too many.
   */
  run<T>(part: PartWrite, write: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Ends the writes of a removed upload, and waits until nothing of them is left. */
  end(uploadId: string): Promise<void>
}

/** No writers yet. */
export function partWriters(): PartWriters {
  const underWay = new Map<string, Map<AbortController, Promise<unknown>>>()
  const replacements: string[] = []

  const assertRoom = (sender: string) => {
    const ofSender = replacements.filter((one) => one === sender).length
    const isFull = replacements.length >= MAX_REPLACEMENTS
    if (!isFull && ofSender < MAX_OF_SENDER) return
    const [limit, used] = isFull ? [MAX_REPLACEMENTS, replacements.length] : [MAX_OF_SENDER, ofSender]
    throw new ObjectStoreError('busy', 'Too many parts are being sent a second time right now; try again.', {
      facts: { unit: 'parts', limit, used },
    })
  }

  const run: PartWriters['run'] = async ({ uploadId, replaces, sender = '', signal }, write) => {
    if (replaces) {
      assertRoom(sender)
      replacements.push(sender)
    }
    const ended = new AbortController()
    const work = write(signal ? AbortSignal.any([signal, ended.signal]) : ended.signal)
    const writers = underWay.get(uploadId) ?? new Map<AbortController, Promise<unknown>>()
    underWay.set(uploadId, writers.set(ended, work))
    try {
      return await work
    } finally {
      if (replaces) replacements.splice(replacements.indexOf(sender), 1)
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
