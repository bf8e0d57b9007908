/** Where lines of metrics come from. */

export interface Source {
  /** Brings what is new to the spool. `isFinal`: the command has ended, so an unterminated last line is complete. */
  poll(isFinal: boolean): Promise<void>
}

/** Bytes that are read at a time. A line has at most so many. */
export const WINDOW = 1024 * 1024

/** Polls each. One that fails does not keep the others from it; rejects with the first failure after all. */
export async function pollEach(sources: Iterable<Source>, isFinal: boolean): Promise<void> {
  const failures: unknown[] = []
  for (const source of sources) await source.poll(isFinal).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
