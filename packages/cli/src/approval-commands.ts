/** `hub approve` and `hub revoke`, by a person; `hub open-session`, by the driver of a robot. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { LocalError } from '@hub/client/internal'
import { type Command, InvalidArgumentError } from 'commander'
import { bySession } from './by-session.ts'
import type { ClientIo } from './client-output.ts'
import { type CommonOptions, common, runCommand } from './client-session.ts'
import { hubExamples, inV1Names, linesOf } from './output.ts'

interface ApproveOptions extends CommonOptions {
  readonly for: number
}
interface OpenOptions extends CommonOptions {
  readonly approvalTokenFile: string
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Parses `30m`, `2h` or `7d`, in seconds. */
function readDuration(text: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? []
  const seconds = Number(count) * (unitSeconds[unit] ?? 0)
  if (seconds > 0) return seconds
  throw new InvalidArgumentError('Use a whole number and s, m, h or d, such as 2h.')
}

const result = (answer: object) => ({ json: answer, text: linesOf({ ...answer }) })

/** Adds them to the `hub` program. */
export function registerApprovalCommands(program: Command, io: ClientIo): void {
  const withJson = (options: CommonOptions) => ({
    ...options,
    json: options.json ?? program.opts<CommonOptions>().json,
  })
  common(
    program
      .command('approve <endpoint> <device>')
      .description("Permit a device to use an endpoint (needs a person's session); prints the approval's token once"),
    io,
  )
    .requiredOption('--for <time>', 'how long it is valid, such as 30m, 2h or 7d', readDuration)
    .addHelpText('after', hubExamples('approve ep_01k0… dev_01k0… --for 2h'))
    .action((endpoint: string, device: string, options: ApproveOptions) =>
      runCommand(
        io,
        withJson(options),
        bySession(endpoint, async (client) => {
          const expiresAt = new Date(Date.now() + options.for * 1000).toISOString()
          const { approval, token } = await client.devices.approve(endpoint, device, expiresAt)
          return result({ ...inV1Names(approval), token })
        }),
      ),
    )
  common(
    program
      .command('revoke <approval>')
      .description("End an approval and its open sessions (needs a person's session)"),
    io,
  )
    .addHelpText('after', hubExamples('revoke appr_01k0…'))
    .action((approval: string, options: CommonOptions) =>
      runCommand(
        io,
        withJson(options),
        bySession('sessions', async (client) => result(inV1Names(await client.devices.revoke(approval)))),
      ),
    )
  common(
    program
      .command('open-session <endpoint> <device>')
      .description('Open a session of a device on an endpoint; prints the URL of the server and the token for it'),
    io,
  )
    .requiredOption('--approval-token-file <file>', 'file that contains the token of an approval')
    .addHelpText('after', hubExamples('open-session ep_01k0… dev_01k0… --approval-token-file approval.txt'))
    .action((endpoint: string, device: string, options: OpenOptions) =>
      runCommand(io, withJson(options), async (client) => {
        const token = await tokenIn(resolve(io.cwd, options.approvalTokenFile))
        return result(await client.devices.openSession(endpoint, device, token))
      }),
    )
}

async function tokenIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new LocalError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  })
  if (text.trim() === '') throw new LocalError(`${file} is empty; it should contain the token of an approval.`)
  return text.trim()
}
