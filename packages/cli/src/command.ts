/** The command: what every client can do, and for the operator's commands the way to them. */

import manifest from '../package.json' with { type: 'json' }
import { clientCommands } from './client-program.ts'
import { endQuietly } from './last-words.ts'
import { registerOperatorPointers } from './operator-pointers.ts'
import { runProgram } from './program.ts'

const help = `
Get started:
  $ hub login --url https://hub.example.com
  $ hub push robots/arm ada/arm --kind robot`

/** Runs the command of this process. */
export async function run(): Promise<void> {
  endQuietly()
  await runProgram({
    version: manifest.version,
    description: 'The command line of a hub for robotics artifacts: repos, runs, checks and endpoints over its /v1.',
    commands: [...clientCommands, registerOperatorPointers],
    help,
  })
}
