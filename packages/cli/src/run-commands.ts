/** The client commands for training runs: submit, cancel, and runs with what is below it. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type HubClient, isHeld, LocalError, type NewRun } from '@hub/client/internal'
import { isJsonObject, parseExact } from '@hub/formats/exact-json'
import { type Command, Option } from 'commander'
import { type ClientIo, exitCodesHelp } from './client-output.ts'
import {
  type CommandResult,
  type CommonOptions,
  collect,
  common,
  runCommand,
  UsageError,
  type Work,
} from './client-session.ts'
import { registerCompareCommands } from './compare-command.ts'
import { heldText } from './hold-output.ts'
import { type KeptOptions, keptMembers, keptOptions } from './kept-options.ts'
import { registerMediaCommand } from './media-command.ts'
import { hubExamples } from './output.ts'
import { registerPromoteCommand } from './promote-command.ts'
import { type AskingIo, confirmByName } from './prompt.ts'
import { type ListOptions, listOptions, showRunList } from './run-list.ts'
import { runLines } from './run-output.ts'
import { showRunView, type ViewOptions } from './run-view.ts'
import { missingRepos } from './submit-warnings.ts'
import { inLine, print } from './terminal.ts'

interface SubmitOptions extends CommonOptions, KeptOptions {
  readonly template?: string
  readonly dataset: string[]
  readonly robot?: string
  readonly set: string[]
  readonly gpu?: string
  readonly maxHours?: string
  readonly budget?: string
  readonly executor?: string
  readonly owner?: string
  readonly parent?: string
  readonly parentStep?: string
}

const submitHelp = `
The recipe is a JSON file with /v1 names, flags, or both: flags override the file.
A run with the executor \`worker\` (the default) waits until one of your runners claims it. If a robot (owner/slug) or dataset (svc://)
of this hub does not exist, submit warns and continues.

Examples:
  $ hub submit --template act --dataset svc://ada/pick-place --set batch_size=8 --set lr=1e-4
  $ hub submit recipe.json --set seed=2 --owner walnut-robotics
  $ hub submit recipe.json --parent run_01k0… --parent-step 2000`

const runsHelp = `
\`hub run\` is the same command. Of one run it shows its progress, what it was made with, its settings, what each metric
came to, and on a terminal the curves of its main metrics.

--columns takes metrics by their key, the last value or that after a colon (last, best, min, max, mean), and settings
after \`config.\`: by their whole path, or the end of it if no other ends so. --watch shows the list, or the run, again
when it has changed: in place on a terminal, where q ends it; elsewhere as a line for each change.
${exitCodesHelp}

With --watch of one run: 1 if it failed or was canceled. With --watch 130 after Ctrl-C.
${hubExamples(
  'runs',
  'runs --tag baseline --sort val/loss --by best',
  'runs --project walk --columns loss,val/loss:best,config.lr,system/cpu_percent',
  'runs --status running --watch',
  'run run_01k0… --plot loss,val/loss --log',
  'run run_01k0… --watch',
)}`

const editHelp = `
An empty value clears: --notes '' has no notes, --tag '' no tags. Tags that are given replace those before.
${hubExamples('runs edit run_01k0… --name "night run" --tag baseline', "runs edit run_01k0… --group ''")}`

/** Adds them to the `hub` program. */
export function registerRunCommands(program: Command, io: AskingIo): void {
  const start = (options: CommonOptions, work: Work) =>
    runCommand(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, work)

  const runs = common(
    program.command('runs').alias('run').description('List training runs, newest first, or show one'),
    io,
    runsHelp,
  )
  runs.argument('[run]', 'id of one run').enablePositionalOptions()
  listOptions(runs)
    .option('--plot <keys>', 'of one run: draw these metrics (on a terminal its main ones without)')
    .option('--no-plot', 'of one run: draw no metric')
    .option('--log', 'of one run: draw with a logarithmic axis')
    .option('--watch', 'show it again when it changes; of one run until it ends')
    .action((run: string | undefined, options: ListOptions & ViewOptions) =>
      start(options, (client) => {
        const json = options.json ?? program.opts<CommonOptions>().json
        const all = { ...options, json }
        return run === undefined ? showRunList(io, client, all) : showRunView(io, client, run, all)
      }),
    )

  common(runs.command('delete <run>').description('Delete a run that has ended, with its log and metrics'), io)
    .option('--yes', 'do not ask')
    .addHelpText('after', hubExamples('runs delete run_01k0…', 'runs delete run_01k0… --yes'))
    .action((run: string, { yes = false }: CommonOptions & { readonly yes?: boolean }, command: Command) =>
      start(command.optsWithGlobals<CommonOptions>(), async (client) => {
        await confirmByName(io, run, `This deletes ${run} with its log and metrics, for good.`, yes)
        await client.v1.deleteRun({ path: { run_id: run } })
        return { json: { id: run }, text: `deleted ${run}\n` }
      }),
    )

  registerPromoteCommand(runs, io)
  registerCompareCommands(program, runs, io)
  registerMediaCommand(runs, io)

  const editing = common(
    runs.command('edit <run>').description('Change name, project, notes, tags, group or job type of a run'),
    io,
  )
  keptOptions(editing)
    .addHelpText('after', editHelp)
    .action((run: string, options: KeptOptions, command: Command) =>
      start(command.optsWithGlobals<CommonOptions>(), (client) => edit(client, run, keptMembers(options))),
    )

  keptOptions(common(program.command('submit').description('Submit a training run'), io))
    .argument('[file]', 'recipe file (JSON); - reads standard input')
    .option('--template <name>', 'trainer to use')
    .option('--dataset <ref>', 'svc://owner/repo, exthub://… or codehost://… (repeatable)', collect, [])
    .option('--robot <name>', 'robot to train for')
    .option('--set <name=value>', 'hyperparameter, parsed as JSON or else as text (repeatable)', collect, [])
    .option('--gpu <tier>', 'GPU tier')
    .option('--max-hours <hours>', 'maximum duration (default: 4 hosted, none on a worker)')
    .option('--budget <usd>', 'maximum cost')
    .addOption(new Option('--executor <executor>', 'who executes it (default: worker)').choices(['worker', 'hosted']))
    .option('--owner <handle>', 'who is billed (default: you)')
    .option('--parent <run>', 'parent run')
    .option('--parent-step <step>', "start from the parent's checkpoint at this step")
    .addHelpText('after', submitHelp)
    .action((file: string | undefined, options: SubmitOptions) =>
      start(options, async (client) => submit(io, client, await newRun(placeOf(io, file), options))),
    )

  common(
    program
      .command('cancel <run>')
      .description(
        'Cancel a queued run, or ask a running one to stop; its runner does within seconds, a hosted one within ' +
          'a minute',
      ),
    io,
  )
    .addHelpText('after', hubExamples('cancel run_01k0…'))
    .action((run: string, options: CommonOptions) => start(options, (client) => showRun(client.runs.cancel(run))))
}

const placeOf = (io: ClientIo, file: string | undefined) =>
  file === undefined || file === '-' ? file : resolve(io.cwd, file)

/** Submits the run; prints warnings for likely mistakes. */
async function submit(io: ClientIo, client: HubClient, run: NewRun): Promise<CommandResult> {
  const warn = (text: string) => print(io.stderr, `hub: warning: ${inLine(text)}\n`)
  for (const warning of await missingRepos(client, run.recipe)) warn(warning)
  const made = await client.runs.create(run)
  if (isHeld(made)) return { json: made, text: heldText(made) }
  for (const warning of made.warnings) warn(warning)
  return { json: made, text: runLines(made) }
}

/** Changes the fields that were given, and shows the run. */
async function edit(client: HubClient, run: string, body: ReturnType<typeof keptMembers>): Promise<CommandResult> {
  if (Object.keys(body).length === 0) throw new UsageError('Say what to change, such as --name NAME.')
  await client.v1.updateRun({ path: { run_id: run }, body })
  return showRun(client.runs.get(run))
}

async function showRun(request: ReturnType<HubClient['runs']['get']>): Promise<CommandResult> {
  const run = await request
  return { json: run, text: runLines(run) }
}

async function newRun(file: string | undefined, options: SubmitOptions): Promise<NewRun> {
  const given = file === undefined ? {} : await readRecipe(file)
  const recipe: Record<string, unknown> = { ...given }
  const put = (name: string, value: unknown) => {
    if (value !== undefined) recipe[name] = value
  }
  put('template', options.template)
  if (options.dataset.length > 0) recipe.dataset = options.dataset
  put('robot', options.robot)
  if (options.set.length > 0) recipe.hyperparams = { ...objectOf(given.hyperparams), ...hyperparams(options.set) }
  put('gpu', options.gpu)
  put('max_hours', numberOf('--max-hours', options.maxHours))
  put('budget_usd', numberOf('--budget', options.budget))
  put('executor', options.executor)
  put('parent_checkpoint_step', numberOf('--parent-step', options.parentStep))
  if (typeof recipe.template !== 'string')
    throw new UsageError('Specify a trainer: --template NAME, or "template" in a recipe file.')
  return {
    recipe: { dataset: [], ...recipe, template: recipe.template },
    owner: options.owner,
    parent_run_id: options.parent,
    ...keptMembers(options),
  }
}

async function readRecipe(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file === '-' ? '/dev/stdin' : file, 'utf8').catch((error: Error) => {
    throw new LocalError(`The recipe cannot be read: ${error.message}`)
  })
  try {
    const recipe = parseExact(text)
    if (isJsonObject(recipe)) return recipe
  } catch {
    // Reported below.
  }
  throw new LocalError(`${file} is not a recipe: it must be one JSON object.`)
}

const objectOf = (value: unknown) => (isJsonObject(value) ? value : {})

function hyperparams(pairs: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new UsageError(`--set takes name=value, not ${JSON.stringify(pair)}.`)
      return [pair.slice(0, at), parsedOrText(pair.slice(at + 1))]
    }),
  )
}

function parsedOrText(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return text
  }
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value))
    throw new UsageError(`${option} takes a number, not ${JSON.stringify(text)}.`)
  return value
}
