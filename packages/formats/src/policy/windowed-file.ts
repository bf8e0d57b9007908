/** A file that is read in places, on a disk or in an object store: memory is one window, however large the file is. */
import { FormatFault } from './format-fault.ts'

/** Where the bytes come from. */
export interface ByteSource {
  readonly sizeBytes: number
  /** The bytes from `start` up to `end`, which are within the file. */
  fetch(start: number, end: number): Promise<Uint8Array>
  /**
   * Resolves when a long reading may continue: others work in between. Without it, that is the next turn of the event
   * loop.
   */
  rest?(): Promise<void>
}

export interface WindowedFile {
  readonly sizeBytes: number
  /**
   * Fetches the bytes from `start` up to `end` (within the file) where the window lacks them; null if it has them
   * already.
   */
  hold(start: number, end: number): Promise<void> | null
  /** Bytes that are held. */
  read(start: number, end: number): Uint8Array
  /** Lets others work, every few milliseconds of a reading. */
  rest(): Promise<void>
}

/** What a reading may take of its source. A `FormatFault` ends it where it needs more. */
export interface ReadBudget {
  readonly fetches: number
  readonly bytes: number
}

/** Of a file on this machine, every read of which is cheap. */
export const unlimited: ReadBudget = { fetches: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }

/** After a jump over weights, enough for what describes the next ones. */
const FIRST_WINDOW_BYTES = 16 * 1024
/** Where the fields continue without a jump, each window is twice as large as the one before. */
const MAX_WINDOW_BYTES = 1024 * 1024

/**
 * Holds nothing yet. Its `hold` rejects with a `FormatFault` where the budget is spent, and with the error of the
 * source.
 */
export function windowedFile(source: ByteSource, budget: ReadBudget): WindowedFile {
  const { sizeBytes, rest = nextTurn } = source
  const left = { ...budget }
  let window: Uint8Array = new Uint8Array(0)
  let [windowStart, windowBytes] = [0, FIRST_WINDOW_BYTES]
  const fill = async (start: number, end: number) => {
    const goesOn = window.length > 0 && start >= windowStart && start <= windowStart + window.length
    windowBytes = goesOn ? Math.min(2 * windowBytes, MAX_WINDOW_BYTES) : FIRST_WINDOW_BYTES
    const until = Math.min(Math.max(start + windowBytes, end), sizeBytes)
    left.fetches -= 1
    left.bytes -= until - start
    if (left.fetches < 0 || left.bytes < 0)
      throw new FormatFault(
        `Its description is spread over more than ${budget.fetches} reads or ${budget.bytes} bytes.`,
      )
    window = await source.fetch(start, until)
    windowStart = start
  }
  return {
    sizeBytes,
    hold: (start, end) => (start >= windowStart && end <= windowStart + window.length ? null : fill(start, end)),
    read: (start, end) => window.subarray(start - windowStart, end - windowStart),
    rest,
  }
}

const nextTurn = () => new Promise<void>((resolve) => setTimeout(resolve))
