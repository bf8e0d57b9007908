/** `hub device create` and `hub device list`: the devices of endpoints. */

import type { RemoteDevice } from '@hub/client/internal'
import type { Command } from 'commander'
import { bySession } from './by-session.ts'
import type { ClientIo } from './client-output.ts'
import { type CommonOptions, common, runCommand } from './client-session.ts'
import { commandGroup } from './command-group.ts'
import { hubExamples, inV1Names, linesOf } from './output.ts'
import { inLine } from './terminal.ts'

interface ListOptions extends CommonOptions {
  readonly owner?: string
}

interface CreateOptions extends CommonOptions {
  readonly owner?: string
  readonly robot?: string
}

/** Adds them. */
export function registerDeviceCommands(program: Command, io: ClientIo): void {
  const devices = commandGroup(program, 'device', 'Register and list devices')
  common(devices.command('list').description('List the devices that you can see, newest first'), io)
    .option('--owner <handle>', 'only devices of this user or org')
    .addHelpText('after', hubExamples('device list', 'device list --owner walnut-robotics --json'))
    .action((options: ListOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, async (client) => {
        const found: RemoteDevice[] = []
        for await (const page of client.devices.list(options.owner)) found.push(...page)
        const lines = found.map((item) => inLine(`${item.id}  ${item.owner.handle}  ${item.name}`))
        return { json: { devices: found.map(inV1Names) }, text: lines.map((line) => `${line}\n`).join('') }
      })
    })
  common(devices.command('create <name>').description("Register a device (needs a person's session)"), io)
    .option('--owner <handle>', 'owner of the device: you (default) or one of your orgs')
    .option('--robot <owner/slug>', 'robot repo that describes the device')
    .addHelpText(
      'after',
      hubExamples('device create bench-arm --robot ada/arm', 'device create arm-2 --owner lab --json'),
    )
    .action((name: string, { owner, robot, ...options }: CreateOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(
        io,
        { ...options, json },
        bySession('sessions', async (client) => {
          const made = await client.devices.register({ name, owner, robotRepo: robot })
          const { owner: of, ...device } = inV1Names(made)
          return { json: { ...device, owner: of }, text: linesOf({ ...device, owner: made.owner.handle }) }
        }),
      )
    })
}
