/** Commands that keep a user out, and let them in again. */
import type { Command } from 'commander'
import type { ClientIo } from 'hub/client-output'
import { examples, printResult } from 'hub/output'
import { disableUser, enableUser } from '../accounts/users/disable-user.ts'
import { readUser } from '../accounts/users/list-users.ts'
import { noViewer } from '../operation/audit.ts'
import { withAuth } from './open-deps.ts'

/** Adds `disable` and `enable` to `user`. */
export function registerAccessCommands(users: Command, io: ClientIo): void {
  const add = (name: 'disable' | 'enable', description: string, change: typeof disableUser) =>
    users
      .command(name)
      .argument('<handle>', 'handle of the user')
      .description(description)
      .option('--json', 'print one JSON object')
      .addHelpText('after', examples(`user ${name} ada`))
      .action(async (handle: string, options: { json?: boolean }) => {
        const user = await withAuth(io, ({ db, config: { operatorHandle } }) =>
          db.withTx(async (tx) => {
            const { id } = await change(tx, noViewer, { handle, operatorHandle })
            return readUser(tx, id)
          }),
        )
        const { id, disabledAt } = user
        printResult(io, { id, handle, disabledAt }, options.json ?? false)
      })
  add('disable', 'End the sessions of a user and refuse their keys, until they are enabled', disableUser)
  add('enable', 'Permit a disabled user to sign in again; their keys work again', enableUser)
}
