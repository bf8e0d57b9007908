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
import { processIo } from './process-io.ts'
import { registerPublishCommand } from './publish-command.ts'
import { registerRunCommands } from './run-commands.ts'
import { registerRunnerCommand } from './runner-command.ts'
import { print } from './terminal.ts'

/** The process as `hub` sees it. */
export type ProgramIo = typeof processIo

function hubProgram(io: ProgramIo): Command {
  const program = new Command('hub')
    .description(
      'A hub for robotics artifacts. Operator commands work directly on the deployment, client commands over /v1.',
    )
    .showHelpAfterError('(use --help for usage)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => print(io.stdout, text),
      writeErr: (text) => print(io.stderr, text),
    })
    .addHelpText(
      'after',
      '\nCreate a first key, on the machine of the hub:\n  $ npm run --silent hub -- user add ada\n  $ npm run --silent hub -- key add ada --scope write',
    )
  registerOperatorCommands(program, io)
  registerClientCommands(program, io)
  registerRunCommands(program, io)
  registerLogCommand(program, io)
  registerRunnerCommand(program, io)
  registerCheckCommand(program, io)
  registerChecksCommand(program, io)
  registerPublishCommand(program, io)
  registerCheckWorkerCommand(program, io)
  registerModelCommand(program, io)
  overrideExits(program)
  return program
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

/** Runs one command, by default that of this process. The exit code is told to `io.exit`. */
export async function runProgram(
  io: ProgramIo = processIo,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  try {
    await hubProgram(io).parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already printed the error; help and version exit with 0.
      io.exit(error.exitCode === 0 ? 0 : 2)
    } else {
      printError(io, error)
      io.exit(1)
    }
  }
}
