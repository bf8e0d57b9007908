/** The `hub` command of the tree: that of the package, and what needs the server's own folder. */
import { endQuietly } from 'hub/last-words'
import { runProgram } from 'hub/program'
import { serverProgram } from './server-program.ts'

/** Runs the command of the process's arguments. */
export async function run(): Promise<void> {
  endQuietly()
  await runProgram(serverProgram)
}
