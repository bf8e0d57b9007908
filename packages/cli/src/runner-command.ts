/** `hub runner`: claims training runs and executes them on this machine. */
import { hostname } from 'node:os'
import { type RunOutcome, work } from '@hub/runner'
import { type Command, InvalidArgumentError } from 'commander'
import type { ClientIo } from './client-output.ts'
import { type CommonOptions, common, UsageError } from './client-session.ts'
import { runWorker, type WorkerOptions } from './worker-session.ts'

interface RunnerOptions extends WorkerOptions {
  readonly owner?: string
  readonly command?: string
  readonly gpuTier?: string
  readonly batteryCommand?: string
  readonly gateEvery: number
  readonly keep?: boolean
}

const help = `
A shell executes the command for each run, in a folder of its own. It gets the recipe as JSON on standard input, and
  HUB_RUN_ID    the run id
  HUB_URL       the hub (the command does not get the runner's key)
  HUB_RUN_DIR   the run's folder and working directory, where the runner looks for these files:
    metrics.jsonl             one JSON object per line, with "iteration" (or "step") and "reward"; reported as it grows
    config.yaml               the resolved config; reported as soon as it exists
    checkpoints/step_N/       a checkpoint; published to a model repo of the owner. Write it under another
                              name and rename it. It counts as complete once it is unchanged for three seconds
    scorecard.json            acceptance results; reported at the end
Standard output and error become the run's log. Exit code 0 means success, any other failure.
Once a run has ended and all of this is at the hub, its folder is removed. It stays, and the runner says where, if a file was
refused or the claim was lost; --keep keeps every one.

If the recipe has a gate, checkpoints are gated during training: the first one at or past each multiple of
every_steps. The battery command runs for each of them in turn, in a folder of its own, with the recipe on
standard input, the variables above, and
  HUB_CHECKPOINT_DIR, HUB_CHECKPOINT_STEP   the checkpoint
  HUB_GATE_BATTERY, HUB_GATE_SEEDS, HUB_GATE_DELAY                 values from the recipe, or defaults
  HUB_GATE_VIDEO, HUB_GATE_HORIZON_S, HUB_GATE_CELL_COUNT          values from the recipe, if set
  HUB_GATE_RESULTS                          the file to write the results to:
    {"cells": [{"name": "walk", "status": "PASS", "detail": "0.7 m/s"}], "seeds_run": 3, "seeds_alive": 3, "rollout_id": "r1"}
The runner records the results with the run, and stops the run if a tripwire fires. It tries a failing battery three
times. Without a battery command it gates no checkpoint, and logs that.

A cancel, a tripwire, max_hours, a lost claim and Ctrl-C stop the command: SIGTERM to its process group, and SIGKILL after 20 seconds.
While the hub is unreachable, the command keeps running and the runner retries. A killed runner resumes when you start it
again with the same --work-dir: the command survives it, and the runner reports every line exactly once.
If HUB_JOB_KIND is run, it executes only the run HUB_JOB_ID: this command can be a hub's HOSTED_COMMAND.

Exit codes:
  0    with --once, the run succeeded; otherwise stopped by Ctrl-C
  1    with --once, the run did not succeed; or the hub could not be reached
  2    wrong usage
  3    not allowed (a runner needs a key with the scope train)
  7    not logged in

Examples:
  $ hub runner --owner ada --command 'python train.py'
  $ hub runner --owner walnut-robotics --once --command 'node examples/trainer/train.ts' \\
      --battery-command 'node examples/trainer/battery.ts'`

const GRACE_MS = 20_000
const INTERVAL_MS = 2000
const GATE_EVERY_S = 60

/** Adds it to the `hub` program. */
export function registerRunnerCommand(
  program: Command,
  io: ClientIo,
  timing = { intervalMs: INTERVAL_MS, graceMs: GRACE_MS },
): void {
  common(program.command('runner').description('Claim training runs and execute them on this machine'), io, help)
    .option('--owner <handle>', 'owner of the runs to execute')
    .option('--once', 'exit after one run')
    .option('--command <command>', 'command that executes a run (default: HUB_RUNNER_COMMAND)')
    .option('--name <name>', 'name of this runner', hostname())
    .option('--work-dir <dir>', 'folder for the files of runs (default: ~/.local/state/hub/runs)')
    .option('--keep', 'keep the files of runs that have ended')
    .option('--gpu-tier <tier>', 'GPU tier of this machine, stored with its measurements')
    .option('--battery-command <command>', 'command that gates a checkpoint (default: HUB_BATTERY_COMMAND)')
    .option('--gate-every <seconds>', 'interval of the checks for checkpoints to gate', secondsOf, GATE_EVERY_S)
    .action((options: RunnerOptions) =>
      run(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, timing),
    )
}

async function run(
  io: ClientIo,
  options: RunnerOptions,
  timing: { readonly intervalMs: number; readonly graceMs: number },
): Promise<void> {
  const words = {
    what: 'runner',
    jobKind: 'run',
    folder: 'runs',
    workOption: '--work-dir' as const,
    scope: 'train',
    doing: `executes runs of ${options.owner}`,
    graceMs: timing.graceMs,
    idOf: ({ run }: RunOutcome) => run,
  }
  await runWorker<RunOutcome>(io, options, words, async ({ credential, gaveUp, ended, job, ...session }) => {
    if (options.owner === undefined && job === null)
      throw new UsageError('Whose runs? Use --owner HANDLE; only a process that the hub starts for a run needs none.')
    const command = options.command ?? io.env.HUB_RUNNER_COMMAND
    if (!command)
      throw new UsageError("No command to execute runs: use --command 'python train.py' or HUB_RUNNER_COMMAND.")
    const { HUB_TOKEN: _kept, ...env } = io.env
    const batteryCommand = options.batteryCommand ?? io.env.HUB_BATTERY_COMMAND
    const gating = { batteryCommand, gateEveryMs: options.gateEvery * 1000 }
    const runner = { ...session, ...timing, ...gating, command, env, gpuTier: options.gpuTier, keepFiles: options.keep }
    const { name, owner = null, once = false } = options
    await work(runner, { credential, name, owner, job, once, gaveUp, ended })
  })
}

function secondsOf(text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && seconds > 0 && seconds <= 86_400) return seconds
  throw new InvalidArgumentError('It must be a number of seconds.')
}
