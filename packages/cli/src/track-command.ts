/** `hub track`: makes a run of any command. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createHubClient, LocalError, ProblemError } from '@hub/client/internal'
import {
  type LeftOnMachine,
  type LeftRun,
  leftRuns,
  nameOf,
  programAt,
  resumeRun,
  type Tracking,
  type TrackOutcome,
  trackNew,
  wandbFolder,
} from '@hub/track'
import type { Command } from 'commander'
import { type ClientIo, exitCode, exitCodeOf } from './client-output.ts'
import { type CommonOptions, collect, common, UsageError, wholeFrom, withLogin } from './client-session.ts'
import { type ClientSettings, clientSettings } from './client-settings.ts'
import { NotLoggedIn } from './command-errors.ts'
import { type KeptOptions, keptMembers } from './kept-options.ts'
import { pageAddress } from './open-command.ts'
import { reportError } from './report-error.ts'
import { toldRetry } from './retry-notice.ts'
import { inLine, print } from './terminal.ts'
import { trackHelp } from './track-help.ts'

interface TrackOptions extends CommonOptions, Omit<KeptOptions, 'notes'> {
  readonly note?: string
  readonly owner?: string
  readonly repo?: string
  readonly dataset: string[]
  readonly robot?: string
  readonly metrics: string[]
  readonly tensorboard: string[] | false
  readonly resume?: string | true
  readonly systemEvery: number
  readonly wandb: boolean
  readonly hf?: boolean
  readonly wait: number
}

const INTERVAL_MS = 2000
const GRACE_MS = 20_000
const WAIT_S = 60
const SYSTEM_S = 15
/** As a shell says of a command that SIGKILL ended. */
const KILLED = 137
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** Adds it to the `hub` program. */
export function registerTrackCommand(program: Command, io: ClientIo, intervalMs = INTERVAL_MS): void {
  const track = program.command('track [command...]').description('Make a training run of a command that runs here')
  common(track, io, trackHelp)
    .passThroughOptions()
    .option('--name <name>', 'what you call the run')
    .option('--project <name>', 'project that the run is part of')
    .option('--group <name>', 'group of runs that it belongs to')
    .option('--job-type <name>', 'part that it has in its group')
    .option('--tag <tag>', 'tag (repeatable)', (tag: string, before: string[] = []) => collect(tag, before))
    .option('--note <text>', 'notes on the run')
    .option('--owner <handle>', 'account that the run belongs to (default: you)')
    .option('--repo <repo>', 'repo (owner/slug) that takes its checkpoints (default: one of its own)')
    .option('--dataset <ref>', 'what it trains on: svc://owner/repo[#selection] (repeatable)', collect, [])
    .option('--robot <name>', 'robot that it trains for')
    .option('--metrics <file>', 'file of metrics that the command writes: JSON lines or .csv (repeatable)', collect, [])
    .option(
      '--tensorboard <folder>',
      "folder of TensorBoard's event files that it writes (repeatable; default: found by watching it)",
      (folder: string, before: string[] | false) => collect(folder, before || []),
      [],
    )
    .option('--no-tensorboard', "leave TensorBoard's event files as they are")
    .option('--resume [run]', 'go on with what a killed `hub track` left, or with this run')
    .option(
      '--system-every <seconds>',
      'interval of the metrics of the machine; 0 for none',
      wholeFrom(0, 3600),
      SYSTEM_S,
    )
    .option('--no-wandb', "leave the command's `import wandb` as it is (default: it reports to this run)")
    .option(
      '--hf',
      "let Hugging Face's clients in the command use this hub, with a key that writes the run's outputs alone",
    )
    .option(
      '--wait <seconds>',
      'how long to wait at the end for a hub that does not answer',
      wholeFrom(0, 86_400),
      WAIT_S,
    )
    .action((command: string[], options: TrackOptions) =>
      run(io, command, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, intervalMs),
    )
}

async function run(io: ClientIo, argv: readonly string[], options: TrackOptions, intervalMs: number): Promise<void> {
  let settings: ClientSettings | null = null
  try {
    if (argv.length === 0 && options.resume === undefined)
      throw new UsageError('Name the command to track: hub track -- python train.py')
    settings = await clientSettings(io, options)
    const { url, token, cacheDir } = settings
    if (token === null) throw new NotLoggedIn(url)
    const [program] = argv
    if (program !== undefined && programAt(program, io.env, io.cwd) === null) {
      reportError(io, new LocalError(`${program}: there is no such command.`), options.json ?? false)
      return io.exit(127)
    }
    const { HUB_TOKEN: _kept, ...env } = io.env
    const logLine = (line: string) => print(io.stderr, `hub: ${inLine(line)}\n`)
    const tracking: Tracking = {
      ...{ url, token, cacheDir, env, intervalMs, logLine },
      wandb: options.wandb && argv.length > 0 ? wandbOrSay(logLine) : null,
      hf: options.hf ?? false,
      isTerminal: Boolean(process.stdin.isTTY && process.stdout.isTTY),
      graceMs: GRACE_MS,
      waitMs: options.wait * 1000,
      pageOf: (id) => pageAddress(url, id),
      onSignal,
    }
    const outcome =
      options.resume === undefined
        ? await startNew(io, tracking, argv, options)
        : await resume(io, tracking, argv, options)
    end(io, tracking, outcome)
  } catch (error) {
    const shown = settings === null ? error : withLogin(error, settings)
    reportError(io, shown, options.json ?? false)
    io.exit(exitCodeOf(shown))
  }
}

/** The folder with the hub's wandb; null, once said, in a program that was installed without it. */
function wandbOrSay(logLine: Tracking['logLine']): string | null {
  const folder = wandbFolder()
  if (folder === null) logLine('this program has no Python client with it, so `import wandb` is left as it is')
  return folder
}

const stateDirOf = ({ env }: ClientIo) =>
  join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'hub', 'track')

function startNew(
  io: ClientIo,
  tracking: Tracking,
  argv: readonly string[],
  options: TrackOptions & { readonly parent?: string },
): Promise<TrackOutcome> {
  const { note, owner, parent, robot, dataset, repo, metrics, tensorboard } = options
  if (repo !== undefined && !/^[^/\s]+\/[^/\s]+$/.test(repo))
    throw new UsageError(`${JSON.stringify(repo)} is not a repo: it must be owner/slug.`)
  return trackNew(tracking, {
    ...{ argv, owner, parent, robot, dataset, repo, metrics, tensorboard },
    stateDir: stateDirOf(io),
    cwd: io.cwd,
    systemEveryMs: options.systemEvery * 1000,
    kept: keptMembers({ ...options, notes: note }),
  })
}

/** Without a command: follows or sends what is left. With one: begins it again, in the same run or as its child. */
async function resume(
  io: ClientIo,
  tracking: Tracking,
  argv: readonly string[],
  options: TrackOptions,
): Promise<TrackOutcome> {
  const named = typeof options.resume === 'string' ? options.resume : null
  const left = await leftRuns(stateDirOf(io), tracking.url, named)
  if (argv.length === 0) return resumeAll(tracking, left, named)
  const [last] = left.runs.filter(({ state }) => named !== null || state.cwd === io.cwd)
  if (last === undefined) {
    if (named === null)
      throw new LocalError(`No tracked run is left of ${io.cwd}: leave --resume out, or name its run.`)
    return startNew(io, tracking, argv, { ...options, parent: await endedRun(io, tracking, named) })
  }
  if (last.state.ending === null) return held(last, await resumeRun(tracking, last, argv))
  await resumeRun(tracking, last, null)
  return startNew(io, tracking, argv, { ...options, ...(last.state.started && { parent: last.state.runId }) })
}

async function resumeAll(
  tracking: Tracking,
  { runs, others }: LeftOnMachine,
  named: string | null,
): Promise<TrackOutcome> {
  if (runs.length === 0) throw new LocalError(nothingLeft(tracking.url, others, named))
  // What only has to be sent comes before a command that may run for days.
  const ordered = [...runs].sort((a, b) => Number(a.isAlive) - Number(b.isAlive))
  let outcome: TrackOutcome | null = null
  for (const one of ordered) {
    tracking.logLine(
      `${nameOf(one)}: ${one.isAlive ? 'following its command, which still runs' : 'sending what is left'}`,
    )
    const now = await resumeRun(tracking, one, null)
    if (now === null) tracking.logLine(`${nameOf(one)}: another hub track has it`)
    else if (outcome === null || outcome.isSent) outcome = now
  }
  if (outcome === null) throw new LocalError('Each run that is left is tracked by another process.')
  return outcome
}

/** The id of a run that a new one goes on from. */
async function endedRun(io: ClientIo, { url, token }: Tracking, id: string): Promise<string> {
  const run = await createHubClient({ url, token, retry: toldRetry(io.stderr) }).runs.get(id)
  if (['succeeded', 'failed', 'canceled'].includes(run.status)) return run.id
  throw new ProblemError(409, { detail: `${id} is ${run.status} and not tracked from here: cancel it first.` }, null)
}

/** Why there is nothing to go on with, and which runs of this machine wait for something else. */
function nothingLeft(url: string, others: LeftOnMachine['others'], named: string | null): string {
  if (others.length === 0)
    return named === null
      ? `Nothing is left to send: every tracked run of ${url} is there.`
      : `Nothing of ${named} is left on this machine.`
  const lines = others.map(({ name, why }) => `  ${name} ${why}`)
  return [
    `Nothing is left to send to ${url}. On this machine is also:`,
    ...lines,
    'To send what is of another hub, set HUB_URL to its address.',
  ].join('\n')
}

function held(run: LeftRun, outcome: TrackOutcome | null): TrackOutcome {
  if (outcome !== null) return outcome
  throw new LocalError(`${nameOf(run)} is tracked by another process.`)
}

/** Says where the run is, and ends as its command did. */
function end(io: ClientIo, { logLine, pageOf }: Tracking, { ended, isSent, folder, run }: TrackOutcome): void {
  if (!isSent) logLine(`not everything is at the hub; it is kept in ${folder}. Send it with: hub track --resume`)
  if (run !== null) logLine(pageOf(run))
  if (ended === 'none') io.exit(isSent ? exitCode.ok : exitCode.failed)
  else if (ended === 'unknown') io.exit(KILLED)
  else {
    io.exit(ended.code)
    if (ended.signal !== null) process.kill(process.pid, ended.signal)
  }
}

/** While it listens a signal does not end this process. */
function onSignal(listener: (name: NodeJS.Signals) => void): () => void {
  for (const name of signals) process.on(name, listener)
  return () => {
    for (const name of signals) process.off(name, listener)
  }
}
