/** The commands of `hub`, and how they end. Exit codes: 0 done, 1 refused or failed, 2 used wrongly. */
import { Command, CommanderError } from 'commander'
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
      "A hub of robotics artifacts: the operator's commands work on the deployment itself, the client's over /v1.",
    )
    .showHelpAfterError('(add --help to see how it is used)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nA first key, on the machine of the hub:\n  $ npm run --silent hub -- user add ada\n  $ npm run --silent hub -- key add ada --scope write',
    )
  registerOperatorCommands(program)
  registerClientCommands(program)
  registerRunCommands(program)
  registerLogCommand(program)
  registerRunnerCommand(program)
  registerModelCommand(program)
  inheritSettings(program)
  await program.parseAsync()
}

/** `exitOverride` is not inherited by commands that are there already, and both files of commands add theirs in their own way. */
function inheritSettings(program: Command): void {
  const visit = (command: Command) => {
    for (const child of command.commands) {
      child.exitOverride()
      visit(child)
    }
  }
  visit(program)
}

/** Runs the command that the arguments name, and leaves its exit code. */
export async function runProgram(): Promise<void> {
  try {
    await main()
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said what is wrong already; help and version end with 0.
      process.exitCode = error.exitCode === 0 ? 0 : 2
    } else {
      printError(error)
      process.exitCode ||= 1
    }
  }
}
