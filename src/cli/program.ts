/** The `hub` program. Exit codes: 0 success, 1 failure, 2 wrong usage. */
import { Command, CommanderError } from 'commander'
import { registerCheckCommand } from './check-command.ts'
import { registerCheckWorkerCommand } from './check-worker-command.ts'
import { registerChecksCommand } from './checks-command.ts'
import { registerClientCommands } from './client-commands.ts'
import { registerLogCommand } from './log-command.ts'
import { registerModelCommand } from './model-command.ts'
import { registerOperatorCommands } from './operator-commands.ts'
import { printError } from './output.ts'
import { registerRunCommands } from './run-commands.ts'
import { registerRunnerCommand } from './runner-command.ts'

async function main(): Promise<void> {
  const program = new Command('hub')
    .description(
      'A hub for robotics artifacts. Operator commands work directly on the deployment, client commands over /v1.',
    )
    .showHelpAfterError('(use --help for usage)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nCreate a first key, on the machine of the hub:\n  $ npm run --silent hub -- user add ada\n  $ npm run --silent hub -- key add ada --scope write',
    )
  registerOperatorCommands(program)
  registerClientCommands(program)
  registerRunCommands(program)
  registerLogCommand(program)
  registerRunnerCommand(program)
  registerCheckCommand(program)
  registerChecksCommand(program)
  registerCheckWorkerCommand(program)
  registerModelCommand(program)
  overrideExits(program)
  await program.parseAsync()
}

/** Commander applies `exitOverride` only to commands added after it, so it is set on every command. */
function overrideExits(program: Command): void {
  const visit = (command: Command) => {
    for (const child of command.commands) {
      child.exitOverride()
      visit(child)
    }
  }
  visit(program)
}

/** Runs the command given by the process arguments and sets the exit code. */
export async function runProgram(): Promise<void> {
  try {
    await main()
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already printed the error; help and version exit with 0.
      process.exitCode = error.exitCode === 0 ? 0 : 2
    } else {
      printError(error)
      process.exitCode ||= 1
    }
  }
}
