/**
 * The commands that need only a hub's address: they work over `/v1` and on local files, and are the whole command of
 * the package `hub`.
 */
import { registerApprovalCommands } from './approval-commands.ts'
import { registerCardCommands } from './card-commands.ts'
import { registerCheckCommand } from './check-command.ts'
import { registerCheckWorkerCommand } from './check-worker-command.ts'
import { registerChecksCommand } from './checks-command.ts'
import { registerClientCommands } from './client-commands.ts'
import { registerCompletionCommand } from './completion-command.ts'
import { registerDataCommands } from './data-command.ts'
import { registerDeviceCommands } from './device-commands.ts'
import { registerEndpointCommands } from './endpoint-commands.ts'
import { registerEnvCommand } from './env-command.ts'
import { registerFileCommands } from './file-commands.ts'
import { registerGateCommands } from './gate-commands.ts'
import { registerKeyCommands } from './key-commands.ts'
import { registerLogCommand } from './log-command.ts'
import { registerLoginCommands } from './login-command.ts'
import { registerMapCommands } from './map-command.ts'
import { registerModelCommand } from './model-command.ts'
import { registerOpenCommand } from './open-command.ts'
import { registerOrgCommands } from './org-commands.ts'
import { registerPolicyServerCommand } from './policy-server-command.ts'
import type { RegisterCommands } from './program.ts'
import { registerPublishCommand } from './publish-command.ts'
import { registerRepoCommands, registerSearchCommand } from './repo-commands.ts'
import { registerRolloutCommand } from './rollout-command.ts'
import { registerRunCommands } from './run-commands.ts'
import { registerRunnerCommand } from './runner-command.ts'
import { registerSpendCommands } from './spend-commands.ts'
import { registerTrackCommand } from './track-command.ts'

/** In the order of `hub --help`. */
export const clientCommands: readonly RegisterCommands[] = [
  registerLoginCommands,
  registerEnvCommand,
  registerKeyCommands,
  registerOrgCommands,
  registerRepoCommands,
  registerFileCommands,
  registerSearchCommand,
  registerOpenCommand,
  registerClientCommands,
  registerRunCommands,
  registerDeviceCommands,
  registerEndpointCommands,
  registerApprovalCommands,
  registerLogCommand,
  registerRunnerCommand,
  registerTrackCommand,
  registerCheckCommand,
  registerChecksCommand,
  registerPublishCommand,
  registerCheckWorkerCommand,
  registerSpendCommands,
  registerPolicyServerCommand,
  registerModelCommand,
  registerDataCommands,
  registerMapCommands,
  registerCardCommands,
  registerRolloutCommand,
  registerGateCommands,
  registerCompletionCommand,
]
