/** The `hub` program. Exit codes: 0 success, 1 failure, 2 wrong usage. */
import { Command, CommanderError } from 'commander'
import { exitCodeOf } from './client-output.ts'
import { UsageError } from './command-errors.ts'
import { groupOf, placeOf } from './help-groups.ts'
import { processIo } from './process-io.ts'
import { reportError } from './report-error.ts'
import { print } from './terminal.ts'

/** The process as `hub` sees it. */
export type ProgramIo = typeof processIo

/** Adds commands of one subject to the program. */
export type RegisterCommands = (program: Command, io: ProgramIo) => void

/** What one `hub` command consists of: the server's package has more commands than the client's. */
export interface ProgramParts {
  readonly version: string
  readonly description: string
  readonly commands: readonly RegisterCommands[]
  /** Follows the list of commands in `hub --help`. */
  readonly help: string
}

/** The whole program. `asJson`: wrong usage is left to the caller to report. */
export function hubProgram(
  { version, description, commands, help }: ProgramParts,
  io: ProgramIo,
  asJson = false,
): Command {
  const program = new Command('hub')
    .description(description)
    .version(version, '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => print(io.stdout, text),
      // With --json an error is one object, and nothing else.
      writeErr: (text) => (asJson ? undefined : print(io.stderr, text)),
      // As every other error of the command begins.
      outputError: (text, write) => write(text.replace(/^error: /, 'hub: ')),
    })
    .addHelpText('after', help)
    // What follows the name of a command is that command's: `--tag` of `runs edit` is not a filter of `runs`.
    .enablePositionalOptions()
  for (const register of commands) register(program, io)
  for (const command of program.commands)
    command.helpGroup(groupOf(command.name()))
    // Commander lists groups and commands in the order of this array.
  ;(program.commands as Command[]).sort((a, b) => placeOf(a.name()) - placeOf(b.name()))
  teachAfterErrors(program)
  return program
}

/**
 * Names the help of the command after an error of usage. Commander applies this and `exitOverride` only to commands
 * added later, so both are set on each.
 */
function teachAfterErrors(command: Command, path = command.name()): void {
  // `--help` is enough; a command `help` at each level would only be in the way.
  command.helpCommand(false)
  command.showHelpAfterError(`Run \`${path} --help\` for its options and examples.`)
  for (const child of command.commands) {
    child.exitOverride()
    teachAfterErrors(child, `${path} ${child.name()}`)
  }
}

/** Runs one command, by default that of this process. The exit code is told to `io.exit`. */
export async function runProgram(
  parts: ProgramParts,
  io: ProgramIo = processIo,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const asJson = args.includes('--json')
  try {
    const program = hubProgram(parts, io, asJson)
    await program.parseAsync(withoutHelpOfUnknown(program, asFlag(args)), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      reportError(io, error, asJson)
      return io.exit(exitCodeOf(error))
    }
    // Commander has printed the error as text; help and version exit with 0.
    if (asJson && error.exitCode !== 0) reportError(io, usageOf(error), true)
    io.exit(error.exitCode === 0 ? 0 : 2)
  }
}

const helpFlags = new Set(['-h', '--help'])

/** `hub help push` is `hub push --help`. */
const asFlag = (args: readonly string[]): readonly string[] =>
  args[0] === 'help' ? [...args.slice(1), '--help'] : args

/**
 * Of `hub psuh --help` Commander would print the help of `hub`, as if there were such a command: without the flag it
 * names the command that is meant.
 */
function withoutHelpOfUnknown(program: Command, args: readonly string[]): readonly string[] {
  let command = program
  for (const arg of args) {
    if (arg === '--' || command.commands.length === 0 || command.registeredArguments.length > 0) return args
    if (arg.startsWith('-')) continue
    const known = command.commands.find((child) => child.name() === arg || child.aliases().includes(arg))
    if (!known) return args.filter((one) => !helpFlags.has(one))
    command = known
  }
  return args
}

/** Commander's message without its prefix; a group without a command prints its help and has none. */
function usageOf({ message, code }: CommanderError): UsageError {
  return new UsageError(code === 'commander.help' ? 'Name a command.' : message.replace(/^error: /, ''))
}
