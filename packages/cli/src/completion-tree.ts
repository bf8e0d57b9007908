/** What a shell can complete: read off the program, so that it cannot differ from it. */
import type { Argument, Command, Option } from 'commander'

interface CompletedOption {
  /** `--scope`, and its short form if it has one. */
  readonly flags: readonly string[]
  readonly about: string
  readonly choices: readonly string[]
}

/** One command by its words, `hub repo create`. */
export interface CompletedCommand {
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly about: string }[]
  /** Values of its arguments where they are from a list. */
  readonly values: readonly string[]
  readonly options: readonly CompletedOption[]
}

/** The program and each visible command below it. */
export function completionTree(program: Command): CompletedCommand[] {
  const visit = (command: Command, path: string): CompletedCommand[] => {
    const help = command.createHelp()
    const below = help.visibleCommands(command)
    return [
      {
        path,
        commands: below.map((child) => ({ name: child.name(), about: oneLine(child.description()) })),
        values: help.visibleArguments(command).flatMap((argument: Argument) => argument.argChoices ?? []),
        options: help.visibleOptions(command).map(completedOption),
      },
      ...below.flatMap((child) => visit(child, `${path} ${child.name()}`)),
    ]
  }
  return visit(program, program.name())
}

function completedOption({ short, long, description, argChoices }: Option): CompletedOption {
  const flags = [long, short].filter((flag) => flag !== undefined && flag !== null)
  return { flags, about: oneLine(description), choices: argChoices ?? [] }
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
