/**
 * The `hub` command of the server's package: the operator's commands, which work on the deployment itself, and those of
 * every client.
 */

import { clientCommands } from 'hub/client-program'
import type { ProgramParts, RegisterCommands } from 'hub/program'
import { hubVersion } from '../platform/version.ts'
import { registerBackupCommands } from './backup-commands.ts'
import { registerDeviceOperatorCommand } from './device-operator-command.ts'
import { registerOperatorCommands } from './operator-commands.ts'
import { registerSigningKeyCommands } from './signing-key-commands.ts'

/** The commands of this package alone. */
export const operatorCommands: readonly RegisterCommands[] = [
  registerOperatorCommands,
  registerBackupCommands,
  registerSigningKeyCommands,
  registerDeviceOperatorCommand,
]

export const serverProgram: ProgramParts = {
  version: hubVersion,
  description:
    'A hub for robotics artifacts. Operator commands work directly on the deployment, client commands over /v1.',
  commands: [...operatorCommands, ...clientCommands],
  help: `
Create a first key, on the machine of the hub:
  $ npm run --silent hub -- user add ada
  $ npm run --silent hub -- key add ada --scope write`,
}
