/** `hub runner`: claims training runs and executes them on this machine. */
import { homedir, hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { createHubClient, LocalError, type RunOutcome, work } from '../client/index.ts'
import { type ClientIo, exitCode, exitCodeOf, explain } from './client-output.ts'
import { type CommonOptions, common, UsageError } from './client-session.ts'
import { clientSettings } from './client-settings.ts'
import { processIo } from './process-io.ts'
import { inLine, print, printJson } from './terminal.ts'

interface RunnerOptions extends CommonOptions {
  readonly owner: string
  readonly once?: boolean
  readonly command?: string
  readonly name: string
  readonly workDir?: string
  readonly gpuTier?: string
  readonly batteryCommand?: string
  readonly gateEvery: number
}

const help = `
The command is run by a shell for each run, in a folder of the run's own. It gets the recipe as JSON on standard input, and
  HUB_RUN_ID    the run
  HUB_URL       the hub (the runner's key stays with the runner)
  HUB_RUN_DIR   the folder, which is the working directory too; what it writes there is taken from there:
    metrics.jsonl             a JSON object a line, with "iteration" (or "step") and "reward": reported as it grows
    config.yaml               the resolved config: reported as soon as it is there
    checkpoints/step_N/       a checkpoint: published as files of a model repo of the owner. Make it under another
                              name and rename it; or it counts as complete when it has not changed for three seconds
    scorecard.json            acceptance results: reported at the end
What it prints, on both outputs, is the run's log. Exit code 0 is success, any other is failure.

A recipe with a gate asks for its checkpoints to be gated while it trains: the first one at or past each multiple of
every_steps. The battery command is run for each of them, one after the other, in a folder of its own, with the recipe on
standard input, the variables above, and
  HUB_CHECKPOINT_DIR, HUB_CHECKPOINT_STEP   the checkpoint
  HUB_GATE_BATTERY, HUB_GATE_SEEDS, HUB_GATE_DELAY                 what the recipe asks for
  HUB_GATE_VIDEO, HUB_GATE_HORIZON_S, HUB_GATE_CELL_COUNT          the same, where the recipe says so
  HUB_GATE_RESULTS                          the file into which it writes
    {"cells": [{"name": "walk", "status": "PASS", "detail": "0.7 m/s"}], "seeds_run": 3, "seeds_alive": 3, "rollout_id": "r1"}
Its results are recorded with the run; where a tripwire then fires the run is stopped. A battery that fails is tried three
times. Without a battery command no checkpoint is gated; the runner says so.

A cancel, a tripwire, max_hours, a lost claim and Ctrl-C end the command: SIGTERM to its process group, and SIGKILL 20 seconds later.
While the hub is unreachable the command keeps working and the runner retries. A runner that was killed goes on when it is started
again on the same --work-dir: the command outlives it, and every line is reported exactly once.

Examples:
  $ hub runner --owner ada --command 'python train.py'
  $ hub runner --owner walnut-robotics --once --command 'node examples/trainer/train.ts' \\
      --battery-command 'node examples/trainer/battery.ts'

Exit codes:
  0    done: with --once the run succeeded, else stopped by Ctrl-C
  1    with --once the run did not succeed; or the hub could not be reached
  2    wrong usage
  3    not authenticated, or not allowed (a runner needs a key with the scope train)`

const GRACE_MS = 20_000
const INTERVAL_MS = 2000
const GATE_EVERY_S = 60

/** Adds it to the `hub` program. */
export function registerRunnerCommand(
  program: Command,
  io: ClientIo = processIo,
  pace = { intervalMs: INTERVAL_MS, graceMs: GRACE_MS },
): void {
  common(program.command('runner').description('Claim training runs and execute them on this machine'), io, help)
    .requiredOption('--owner <handle>', 'whose runs')
    .option('--once', 'end after one run')
    .option('--command <command>', 'what executes a run (default: HUB_RUNNER_COMMAND)')
    .option('--name <name>', 'the name of this runner', hostname())
    .option('--work-dir <dir>', 'where runs keep their files (default: ~/.local/state/hub/runs)')
    .option('--gpu-tier <tier>', 'the tier that this machine is like, for what runs measure')
    .option('--battery-command <command>', 'what gates a checkpoint (default: HUB_BATTERY_COMMAND)')
    .option('--gate-every <seconds>', 'how often checkpoints to gate are looked for', secondsOf, GATE_EVERY_S)
    .action((options: RunnerOptions) =>
      run(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, pace),
    )
}

async function run(
  io: ClientIo,
  options: RunnerOptions,
  pace: { readonly intervalMs: number; readonly graceMs: number },
): Promise<void> {
  const stop = new AbortController()
  const interrupted = new AbortController()
  const off = io.onInterrupt(() => {
    stop.abort(new Error('The runner was stopped.'))
    // The final report needs a hub that answers; without one the run is swept when its lease expires.
    setTimeout(() => interrupted.abort(new Error('interrupted')), pace.graceMs + 10_000).unref()
  })
  const tell = (line: string) => print(io.stderr, `${new Date().toISOString().slice(11, 19)} ${inLine(line)}\n`)
  let last: RunOutcome | null = null
  try {
    const command = options.command ?? io.env.HUB_RUNNER_COMMAND
    if (!command) throw new UsageError("Say what executes a run: --command 'python train.py', or HUB_RUNNER_COMMAND.")
    const { url, token, cacheDir } = await clientSettings(io, options)
    if (token === null) throw new LocalError('A runner needs a key with the scope train: HUB_TOKEN or --token-file.')
    // A wrong address or key fails now; once running, the runner waits for a hub that does not answer.
    await createHubClient({ url, token, signal: stop.signal }).me()
    const retry = { attempts: Number.POSITIVE_INFINITY, baseMs: 250, maxMs: 5000, random: Math.random }
    const client = createHubClient({ url, token, retry, signal: interrupted.signal })
    tell(`${options.name} works for ${options.owner} at ${url}`)
    const { HUB_TOKEN: _kept, ...env } = io.env
    const runner = { client, workDir: workDirOf(io, options), cacheDir, command, env, ...pace, tell, stop: stop.signal }
    const batteryCommand = options.batteryCommand ?? io.env.HUB_BATTERY_COMMAND
    await work(
      { ...runner, gpuTier: options.gpuTier, batteryCommand, gateEveryMs: options.gateEvery * 1000 },
      {
        name: options.name,
        owner: options.owner,
        once: options.once ?? false,
        ended(outcome) {
          last = outcome
          tell(`${outcome.run}: ${outcome.status}${outcome.error ? `: ${outcome.error}` : ''}`)
          if (options.json) printJson(io.stdout, outcome)
        },
      },
    )
    io.exit(options.once && (last as RunOutcome | null)?.status !== 'succeeded' ? exitCode.failed : exitCode.ok)
  } catch (error) {
    if (interrupted.signal.aborted) {
      print(
        io.stderr,
        'hub: the final report did not reach the hub; start the runner again on the same --work-dir to send it.\n',
      )
      return io.exit(exitCode.interrupted)
    }
    print(io.stderr, explain(error))
    io.exit(error instanceof UsageError ? exitCode.usage : exitCodeOf(error))
  } finally {
    off()
  }
}

function secondsOf(text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && seconds > 0 && seconds <= 86_400) return seconds
  throw new InvalidArgumentError('It has to be a number of seconds.')
}

function workDirOf({ env, cwd }: ClientIo, { workDir }: RunnerOptions): string {
  if (workDir !== undefined) return resolve(cwd, workDir)
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'hub', 'runs')
}
