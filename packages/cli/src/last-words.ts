/**
 * How the process of a command ends when something happens that no command expects: with one line, never with a stack.
 */

import { processIo } from './process-io.ts'
import { reportError } from './report-error.ts'

/**
 * Call once, before the command. A reader of the first lines only (`hub repos | head`) is no fault; the rest is one, with
 * exit code 1.
 */
export function endQuietly(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
  process.on('uncaughtException', (error) => {
    reportError(processIo, error, process.argv.includes('--json'))
    process.exit(1)
  })
}
