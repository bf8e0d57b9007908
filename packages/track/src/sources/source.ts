/** Where lines of metrics come from. */

export interface Source {
  /** Brings what is new to the spool. `isFinal`: the command has ended, so an unterminated last line is complete. */
  poll(isFinal: boolean): Promise<void>
}

/** Bytes that are read at a time. A line has at most so many. */
export const WINDOW = 1024 * 1024
