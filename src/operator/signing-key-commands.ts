/** The operator's commands for the keys that sign sessions and approvals. */
import type { Command } from 'commander'
import type { ClientIo } from 'hub/client-output'
import { examples, inV1Names, linesOf, printResult } from 'hub/output'
import { print, printJson } from 'hub/terminal'
import { onDeployment } from './on-deployment.ts'

interface Options {
  readonly json?: boolean
}

/** Adds `signing-key list`, `signing-key rotate` and `signing-key withdraw`. */
export function registerSigningKeyCommands(program: Command, io: ClientIo): void {
  const keys = program
    .command('signing-key')
    .description('List, rotate and withdraw the keys that sign sessions and approvals')
  keys
    .command('list')
    .description('List all keys, the one that signs first')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('signing-key list'))
    .action(async (options: Options) => {
      const keys = (await onDeployment(io, (deployment) => deployment.keys.list())).map(inV1Names)
      if (options.json) printJson(io.stdout, { keys })
      else print(io.stdout, keys.map((item) => linesOf(item)).join('\n'))
    })
  keys
    .command('rotate')
    .description('Start signing with a new key; what was signed before stays valid')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('signing-key rotate'))
    .action(async (options: Options) => {
      printResult(io, { kid: await onDeployment(io, ({ keys }) => keys.rotate()) }, options.json ?? false)
    })
  keys
    .command('withdraw')
    .argument('<kid>', 'id of a key that was rotated before')
    .description('Reject everything that a key signed: sessions and approvals, for ever')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('signing-key withdraw 5Vr2x1…'))
    .action(async (kid: string, options: Options) => {
      printResult(io, { ...(await onDeployment(io, ({ keys }) => keys.withdraw(kid))) }, options.json ?? false)
    })
}
