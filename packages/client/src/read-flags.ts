/** How files of a folder are opened that was listed before: by now something else may bear the name. */
import { constants } from 'node:fs'
import { LocalError } from './problem.ts'

/** Opening a pipe waits for its writer, for good and out of reach of an abort, unless it is told not to. */
export const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** The error of a read; in words where it says that a pipe has no places to read from, or nothing yet. */
export function readError(error: unknown, file: string): unknown {
  const { code } = error as { readonly code?: unknown }
  return code === 'ESPIPE' || code === 'EAGAIN' ? new LocalError(`${file} was a file and is now a pipe.`) : error
}
