/** `hub checks`: lists checks, shows one, cancels one. */

import type { CheckFilters, HubClient } from '@hub/client/internal'
import { type Command, Option } from 'commander'
import { checkRow, checkText } from './check-output.ts'
import { type ClientIo, countText } from './client-output.ts'
import { type CommandResult, type CommonOptions, common, runCommand, type Work, wholeFrom } from './client-session.ts'
import { hubExamples } from './output.ts'

interface ListOptions extends CommonOptions {
  readonly robot?: string
  readonly status?: string
  readonly executor?: string
  readonly limit: number
}

/** Adds it to the `hub` program. */
export function registerChecksCommand(program: Command, io: ClientIo): void {
  const start = (options: CommonOptions, work: Work) =>
    runCommand(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, work)
  const checks = common(program.command('checks').description('List checks, newest first, or show one'), io)
    .argument('[check]', 'id of one check')
    .option('--robot <repo>', 'only on this robot, owner/slug')
    .addOption(
      new Option('--status <status>', 'only checks with this status').choices([
        'queued',
        'running',
        'succeeded',
        'failed',
        'canceled',
      ]),
    )
    .addOption(new Option('--executor <executor>', 'only checks with this executor').choices(['worker', 'hosted']))
    .option('--limit <n>', 'maximum number of checks', wholeFrom(1), 20)
    .addHelpText('after', hubExamples('checks', 'checks check_01k0…', 'checks --robot ada/arm --status failed'))
    .action((check: string | undefined, options: ListOptions) =>
      start(options, (client) => (check === undefined ? list(client, options) : show(client, check))),
    )
  common(checks.command('cancel <check>').description('Cancel a check that has not ended'), io)
    .addHelpText('after', hubExamples('checks cancel check_01k0…'))
    .action((check: string, _options: CommonOptions, command: Command) =>
      start(command.optsWithGlobals<CommonOptions>(), async (client) => {
        const canceled = await client.checks.cancel(check)
        return { json: canceled, text: checkText(canceled) }
      }),
    )
}

async function show(client: HubClient, id: string): Promise<CommandResult> {
  const check = await client.checks.get(id)
  return { json: check, text: checkText(check) }
}

async function list(client: HubClient, { robot, status, executor, limit }: ListOptions): Promise<CommandResult> {
  const filters: CheckFilters = { robot_repo: robot, status, executor }
  const found = []
  for await (const page of client.checks.list(filters)) {
    found.push(...page)
    if (found.length >= limit) break
  }
  const checks = found.slice(0, limit)
  return { json: { checks }, text: `${checks.map(checkRow).join('')}${countText(checks.length, 'check')}\n` }
}
