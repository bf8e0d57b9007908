/** `hub runs promote`: a checkpoint of a run as a model repo of its own. */
import { type HubClient, LocalError } from '@hub/client/internal'
import type { Command } from 'commander'
import { countText } from './client-output.ts'
import { type CommandResult, type CommonOptions, common, runCommand, wholeFrom } from './client-session.ts'
import { hubExamples } from './output.ts'
import type { AskingIo } from './prompt.ts'

interface PromoteOptions extends CommonOptions {
  readonly step?: number
  readonly public?: boolean
  readonly message?: string
}

/** Adds it to `hub runs`. */
export function registerPromoteCommand(runs: Command, io: AskingIo): void {
  common(
    runs.command('promote <run> <owner/name>').description('Make a model repo of a checkpoint, without sending bytes'),
    io,
  )
    .option('--step <n>', 'step of the checkpoint (default: the last one)', wholeFrom(0))
    .option('--public', 'make a new repo public; an existing one keeps its visibility')
    .option('-m, --message <text>', 'what to remember about the change')
    .addHelpText(
      'after',
      hubExamples('runs promote run_01k0… ada/walker', 'runs promote run_01k0… ada/walker --step 2000 --public'),
    )
    .action((run: string, repo: string, _options: PromoteOptions, command: Command) => {
      const options = command.optsWithGlobals<PromoteOptions>()
      return runCommand(io, options, (client) => promote(client, run, repo, options))
    })
}

async function promote(client: HubClient, run: string, repo: string, options: PromoteOptions): Promise<CommandResult> {
  const step = options.step ?? (await client.runs.checkpointSteps(run)).at(-1)
  if (step === undefined) throw new LocalError(`${run} has no checkpoint yet: wait until its runner has published one.`)
  const made = await client.v1.promoteCheckpoint({
    path: { run_id: run },
    body: { step, repo, visibility: options.public ? 'public' : null, message: options.message ?? null },
  })
  const { added, changed } = made.commit
  const what =
    added + changed === 0 ? 'its files were there already' : `${countText(added, 'file')} added, ${changed} replaced`
  return { json: { step, ...made }, text: `promoted step ${step} of ${run} to ${made.repo.full_name}: ${what}\n` }
}
