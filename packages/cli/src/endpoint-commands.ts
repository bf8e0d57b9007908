/** The client commands for inference endpoints: endpoint create, list, show, stop, estimate. */

import { type EndpointFilters, type HubClient, isHeld, type PlannedEndpoint } from '@hub/client/internal'
import { type Command, Option } from 'commander'
import { countText } from './client-output.ts'
import {
  type CommandResult,
  type CommonOptions,
  common,
  runCommand,
  UsageError,
  type Work,
  wholeFrom,
} from './client-session.ts'
import { confirmEndless } from './confirm-endless.ts'
import { endpointLines, endpointRow, estimateLines } from './endpoint-output.ts'
import { heldText } from './hold-output.ts'
import { hubExamples } from './output.ts'
import type { AskingIo } from './prompt.ts'

interface ServeOptions extends CommonOptions {
  readonly onnx?: string
  readonly policy?: string
  readonly executor?: 'worker' | 'hosted'
  readonly owner?: string
  readonly params?: string
  readonly budget?: string
}
interface CreateOptions extends ServeOptions {
  readonly name?: string
  readonly maxHours?: string
  readonly yes?: boolean
}
interface EstimateOptions extends ServeOptions {
  readonly hours?: string
}
type ListOptions = CommonOptions & { readonly limit: number } & Readonly<Record<string, unknown>>

/** Options of `hub endpoint list`, and the filters that they are. */
const filterOptions = {
  status: 'status',
  executor: 'executor',
  model: 'model_repo',
  owner: 'owner',
} as const satisfies Record<string, keyof EndpointFilters>

const createHelp = `
A worker endpoint (the default) waits until a server of yours claims it: hub policy-server. The hub serves a hosted one, and bills the GPU time of
its sessions; without --max-hours and --budget nothing ends it, and the command asks first. A device needs an approval for either: hub approve.
${hubExamples(
  'endpoint create walnut/pick-place',
  'endpoint create walnut/pick-place --onnx policy.onnx --params 450000000 --name bench',
  'endpoint create walnut/pick-place --executor hosted --max-hours 8 --budget 5',
)}`

/** Adds them to the `hub` program. */
export function registerEndpointCommands(program: Command, io: AskingIo): void {
  const start = (options: CommonOptions, work: Work) =>
    runCommand(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, work)
  const endpoint = program
    .command('endpoint')
    .description('Create, list and stop inference endpoints, which serve models to robots')

  serving(common(endpoint.command('create <model>').description('Queue an endpoint of a model repo (owner/slug)'), io))
    .option('--name <name>', 'name of the endpoint')
    .option('--max-hours <hours>', 'end it this long after a server has claimed it')
    .option('--yes', 'do not ask before creating a hosted endpoint that nothing ends')
    .addHelpText('after', createHelp)
    .action((model: string, options: CreateOptions) => start(options, (client) => create(io, client, model, options)))

  serving(
    common(
      endpoint
        .command('estimate <model>')
        .description('Show the tier that a model needs and the most that it can cost'),
      io,
    ),
  )
    .option('--hours <hours>', 'hours to estimate (default: 1)')
    .addHelpText('after', hubExamples('endpoint estimate walnut/pick-place --executor hosted --hours 8'))
    .action((model: string, options: EstimateOptions) =>
      start(options, async (client) => {
        const hours = numberOf('--hours', options.hours)
        const estimate = await client.endpoints.estimate({ ...requestOf(model, options), hours })
        return { json: estimate, text: estimateLines(estimate) }
      }),
    )

  const list = common(endpoint.command('list').description('List endpoints, newest first'), io)
  list
    .addOption(
      new Option('--status <status>', 'only endpoints with this status').choices([
        'queued',
        'running',
        'stopped',
        'failed',
      ]),
    )
    .addOption(new Option('--executor <executor>', 'only endpoints with this executor').choices(['worker', 'hosted']))
    .option('--model <owner/slug>', 'only endpoints of this model repo')
    .option('--owner <handle>', 'only endpoints of this user or org')
  list
    .option('--limit <n>', 'maximum number of endpoints', wholeFrom(1), 20)
    .addHelpText(
      'after',
      hubExamples('endpoint list --status running', 'endpoint list --model walnut/pick-place --json'),
    )
    .action((options: ListOptions) => start(options, (client) => listEndpoints(client, options)))

  common(endpoint.command('show <endpoint>').description('Show one endpoint with its live counters'), io)
    .addHelpText('after', hubExamples('endpoint show ep_01k0…'))
    .action((id: string, options: CommonOptions) => start(options, (client) => show(client.endpoints.get(id))))

  common(
    endpoint
      .command('stop <endpoint>')
      .description('Stop a queued endpoint, or ask the server of a running one to stop'),
    io,
  )
    .addHelpText('after', hubExamples('endpoint stop ep_01k0…'))
    .action((id: string, options: CommonOptions) => start(options, (client) => show(client.endpoints.stop(id))))
}

/** What create and estimate have in common. */
const serving = (command: Command): Command =>
  command
    .option('--onnx <path>', 'ONNX file to serve (default: the only one at the root)')
    .option('--policy <path>', 'checkpoint directory to serve')
    .addOption(new Option('--executor <executor>', 'who serves it (default: worker)').choices(['worker', 'hosted']))
    .option('--owner <handle>', 'who is billed (default: you)')
    .option('--params <n>', 'parameters of the model, where no file of it says so')
    .option('--budget <usd>', 'maximum cost of a hosted endpoint')

function requestOf(model: string, options: ServeOptions): PlannedEndpoint {
  return {
    model_repo: model,
    onnx_path: options.onnx,
    policy_path: options.policy,
    executor: options.executor,
    owner: options.owner,
    params: numberOf('--params', options.params),
    budget_usd: numberOf('--budget', options.budget),
  }
}

async function create(io: AskingIo, client: HubClient, model: string, options: CreateOptions): Promise<CommandResult> {
  const request = {
    ...requestOf(model, options),
    name: options.name,
    max_hours: numberOf('--max-hours', options.maxHours),
  }
  await confirmEndless(io, client, request, options.yes ?? false)
  const made = await client.endpoints.create(request)
  return isHeld(made) ? { json: made, text: heldText(made) } : { json: made, text: endpointLines(made) }
}

async function show(request: ReturnType<HubClient['endpoints']['get']>): Promise<CommandResult> {
  const endpoint = await request
  return { json: endpoint, text: endpointLines(endpoint) }
}

async function listEndpoints(client: HubClient, options: ListOptions): Promise<CommandResult> {
  const given = Object.entries(filterOptions).flatMap(([name, filter]) =>
    typeof options[name] === 'string' ? [[filter, options[name]]] : [],
  )
  const endpoints = []
  for await (const page of client.endpoints.list(Object.fromEntries(given))) {
    endpoints.push(...page)
    if (endpoints.length >= options.limit) break
  }
  const listed = endpoints.slice(0, options.limit)
  const text = `${listed.map(endpointRow).join('')}${countText(listed.length, 'endpoint')}\n`
  return { json: { endpoints: listed }, text }
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value))
    throw new UsageError(`${option} takes a number, not ${JSON.stringify(text)}.`)
  return value
}
