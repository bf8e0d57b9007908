/** `hub device add`, by the operator. */
import type { Command } from 'commander'
import type { ClientIo } from 'hub/client-output'
import { commandGroup } from 'hub/command-group'
import { examples, printResult } from 'hub/output'
import { onDeployment } from './on-deployment.ts'

interface AddOptions {
  readonly robot?: string
  readonly json?: boolean
}

/** Adds `device add`. */
export function registerDeviceOperatorCommand(program: Command, io: ClientIo): void {
  commandGroup(program, 'device', 'Register and list devices')
    .command('add')
    .argument('<owner>', 'user or org that owns the device')
    .argument('<name>', 'name of the device, unique for its owner')
    .option('--robot <owner/slug>', 'robot repo that describes the device')
    .description('Register a device')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('device add ada bench-arm --robot ada/arm --json'))
    .action(async (owner: string, name: string, options: AddOptions) => {
      const device = await onDeployment(io, ({ db }, { addDevice, findAccount, noViewer }) =>
        db.withTx(async (tx) => {
          const account = await findAccount(tx, owner)
          return addDevice({
            tx,
            ctx: noViewer,
            owner: account,
            createdBy: null,
            input: { name, robotRepo: options.robot ?? null },
          })
        }),
      )
      const { id, ...rest } = device
      printResult(io, { id, owner, ...rest }, options.json ?? false)
    })
}
