/** `hub holds` and `hub spend`: held requests of agents, what an account spends, and its cap. */

import type { HoldFilters, HubClient, RemoteHold } from '@hub/client/internal'
import { type Command, Option } from 'commander'
import { bySession } from './by-session.ts'
import { type ClientIo, countText } from './client-output.ts'
import {
  type CommandResult,
  type CommonOptions,
  common,
  runCommand,
  UsageError,
  type Work,
  wholeFrom,
} from './client-session.ts'
import { holdRow, holdText, spendText } from './hold-output.ts'
import { hubExamples } from './output.ts'

interface ListOptions extends CommonOptions {
  readonly status?: string
  readonly limit: number
}
interface SpendOptions extends CommonOptions {
  readonly account?: string
  readonly month?: string
}
interface CapOptions extends CommonOptions {
  readonly account?: string
  readonly mode?: 'notify' | 'stop'
}

const holdsHelp = `
Hosted work that an agent's key asks for beyond the free allowance is held until a person decides. Approving and
denying need the token of a session; the key that filed a hold may cancel it.

Examples:
  $ hub holds list --status pending
  $ hub holds approve spend_01k0…
  $ hub holds deny spend_01k0… --reason "wait for the new dataset"`

const capHelp = `
Examples:
  $ hub spend cap 50 --mode stop
  $ hub spend cap 50 --mode notify --account walnut-robotics
  $ hub spend cap none`

/** Adds them to the `hub` program. */
export function registerSpendCommands(program: Command, io: ClientIo): void {
  const start = (command: Command, work: Work) => {
    const options = command.optsWithGlobals<CommonOptions>()
    return runCommand(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, work)
  }
  const holds = program
    .command('holds')
    .description('List, show, approve, deny and cancel held requests of agents')
    .addHelpText('after', holdsHelp)
  common(holds.command('list', { isDefault: true }).description('List holds, newest first'), io)
    .addOption(
      new Option('--status <status>', 'only holds with this status').choices([
        'pending',
        'approved',
        'denied',
        'canceled',
        'expired',
      ]),
    )
    .addHelpText('after', hubExamples('holds list --status pending'))
    .option('--limit <n>', 'maximum number of holds', wholeFrom(1), 20)
    .action((options: ListOptions, command: Command) => start(command, (client) => list(client, options)))
  const one = (name: string, about: string, ask: (client: HubClient, id: string) => Promise<RemoteHold>) =>
    common(holds.command(`${name} <hold>`).description(about), io)
      .addHelpText('after', hubExamples(`holds ${name} spend_01k0…`))
      .action((id: string, _options: CommonOptions, command: Command) =>
        start(
          command,
          bySession(id, (client) => show(ask(client, id))),
        ),
      )
  one('show', 'Show a hold', (client, id) => client.spend.hold(id))
  one('approve', 'Approve a hold and create its job; needs a session', (client, id) => client.spend.approve(id))
  one('cancel', 'Withdraw a pending hold', (client, id) => client.spend.cancel(id))
  common(holds.command('deny <hold>').description('Refuse a pending hold; needs a session'), io)
    .requiredOption('--reason <text>', 'reason; the agent reads it')
    .addHelpText('after', hubExamples('holds deny spend_01k0… --reason "wait for the new dataset"'))
    .action((id: string, { reason }: { reason: string }, command: Command) =>
      start(
        command,
        bySession(id, (client) => show(client.spend.deny(id, reason))),
      ),
    )

  const spend = common(
    program.command('spend').description('Show what an account spends on hosted work in a month'),
    io,
  )
    .option('--account <handle>', 'account (default: that of the token)')
    .option('--month <month>', 'month, such as 2026-11 (default: the current one)')
    .addHelpText('after', hubExamples('spend', 'spend --account walnut-robotics --month 2026-11'))
    .action(({ account, month }: SpendOptions, command: Command) =>
      start(command, async (client) => spent(await client.spend.summary({ account, month }))),
    )
  common(spend.command('cap <usd>').description("Set or remove the account's spend cap; needs a session"), io)
    .option('--account <handle>', 'account (default: your own)')
    .addOption(new Option('--mode <mode>', 'what the cap does').choices(['notify', 'stop']))
    .addHelpText('after', capHelp)
    .action((usd: string, _options: CapOptions, command: Command) => {
      const { account, mode } = command.optsWithGlobals<CapOptions>()
      const set: Work = async (client) => spent(await client.spend.setCap({ account, ...capOf(usd, mode) }))
      return start(command, bySession('spend', set))
    })
}

function capOf(text: string, mode: CapOptions['mode']) {
  if (text === 'none') return { usd: null, mode: null }
  const usd = Number(text)
  if (text.trim() === '' || !(usd >= 0))
    throw new UsageError(`A cap is an amount in USD or none, not ${JSON.stringify(text)}.`)
  if (mode === undefined) throw new UsageError('Say what the cap does: --mode notify or --mode stop.')
  return { usd, mode }
}

async function show(request: Promise<RemoteHold>): Promise<CommandResult> {
  const hold = await request
  return { json: hold, text: holdText(hold) }
}

const spent = (summary: Awaited<ReturnType<HubClient['spend']['summary']>>): CommandResult => ({
  json: summary,
  text: spendText(summary),
})

async function list(client: HubClient, { status, limit }: ListOptions): Promise<CommandResult> {
  const filters: HoldFilters = { status }
  const found: RemoteHold[] = []
  for await (const page of client.spend.holds(filters)) {
    found.push(...page)
    if (found.length >= limit) break
  }
  const holds = found.slice(0, limit)
  return { json: { holds }, text: `${holds.map(holdRow).join('')}${countText(holds.length, 'hold')}\n` }
}
