/** Commands that keep a user out, and let them in again. */
import type { Command } from 'commander'
import type { ClientIo } from 'hub/client-output'
import { examples, printResult } from 'hub/output'
import { onDeployment } from './on-deployment.ts'

/** Adds `disable` and `enable` to `user`. */
export function registerAccessCommands(users: Command, io: ClientIo): void {
  const add = (name: 'disable' | 'enable', description: string, verb: 'disableUser' | 'enableUser') =>
    users
      .command(name)
      .argument('<handle>', 'handle of the user')
      .description(description)
      .option('--json', 'print one JSON object')
      .addHelpText('after', examples(`user ${name} ada`))
      .action(async (handle: string, options: { json?: boolean }) => {
        const user = await onDeployment(io, ({ db, config: { operatorHandle } }, verbs) =>
          db.withTx(async (tx) => {
            const { id } = await verbs[verb](tx, verbs.noViewer, { handle, operatorHandle })
            return verbs.readUser(tx, id)
          }),
        )
        const { id, disabledAt } = user
        printResult(io, { id, handle, disabledAt }, options.json ?? false)
      })
  add('disable', 'End the sessions of a user and refuse their keys, until they are enabled', 'disableUser')
  add('enable', 'Permit a disabled user to sign in again; their keys work again', 'enableUser')
}
