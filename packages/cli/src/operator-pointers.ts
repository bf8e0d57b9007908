/**
 * In the client's package the operator's commands are one sentence each: who knows them from the server learns where
 * they are.
 */
import type { Command } from 'commander'
import type { ClientIo } from './client-output.ts'
import { commandGroup } from './command-group.ts'

/** Every command that only the server's package has. */
export const operatorCommandNames: readonly string[] = [
  'user list',
  'user add',
  'user invite',
  'user reset',
  'user disable',
  'user enable',
  'org add',
  'key add',
  'session add',
  'store allow-pages',
  'storage recount',
  'migrate',
  'doctor',
  'backup create',
  'backup verify',
  'backup restore',
  'signing-key list',
  'signing-key rotate',
  'signing-key withdraw',
  'device add',
]

/** Adds them, hidden, where the client has no command of that name. */
export function registerOperatorPointers(program: Command, _io: ClientIo): void {
  for (const name of operatorCommandNames) {
    const words = name.split(' ')
    const last = words.pop() ?? ''
    const hidden = !program.commands.some((command) => command.name() === words[0])
    const group = words.reduce(
      (parent, word) => commandGroup(parent, word, 'on the machine of the hub', { hidden }),
      program,
    )
    if (group.commands.some((command) => command.name() === last)) continue
    group
      .command(last, { hidden: true })
      .description('on the machine of the hub')
      .argument('[anything...]')
      .allowUnknownOption()
      .helpOption(false)
      .action(() => {
        throw new Error(
          `\`hub ${name}\` is an operator's command and not part of this package: run it on the machine of the hub, in its folder: npm run --silent hub -- ${name}`,
        )
      })
  }
}
