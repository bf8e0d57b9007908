import type { Command } from 'commander'

/**
 * The group `hub <name>`, made by the first of its commands: some of a group may be the operator's and others every
 * client's.
 */
export function commandGroup(
  program: Command,
  name: string,
  description: string,
  options: { readonly hidden?: boolean } = {},
): Command {
  const known = program.commands.find((command) => command.name() === name)
  return known ?? program.command(name, options).description(description)
}
