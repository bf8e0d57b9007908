/** One tracked run: its command, the collector of what it reports, and the sender, until all is at the hub. */
import type { ChildProcess } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { createHubClient } from '@hub/client/internal'
import { lastLine } from '@hub/runner/run-result'
import { startCollector } from './collector.ts'
import { keepEnvironment } from './environment/environment.ts'
import { type FollowedCommand, followCommand } from './followed-command.ts'
import { hfVariables } from './hf-variables.ts'
import { launch, signalIn } from './launch.ts'
import { pause } from './pause.ts'
import { isRefusal, reasonOf } from './run-claim.ts'
import { createSender, type Sender } from './sender.ts'
import { eventFolder } from './sources/event-folder.ts'
import { foundEvents } from './sources/found-events.ts'
import { endTornLine, linesSource } from './sources/lines-source.ts'
import { metricFile } from './sources/metric-file.ts'
import type { Source } from './sources/source.ts'
import { summarySource } from './sources/summary-source.ts'
import { systemSource } from './sources/system-source.ts'
import { openSpool, type Spool } from './spool.ts'
import type { TrackFiles } from './track-folder.ts'
import type { TrackJournal } from './track-journal.ts'
import { withWandb } from './wandb-folder.ts'

/** What a tracked run is given of its surroundings. */
export interface Tracking {
  readonly url: string
  readonly token: string
  readonly cacheDir: string
  /** Of the command; the run's own variables are added. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** First on the path of the command's Python, so that `import wandb` is the hub's; null leaves the real one. */
  readonly wandb: string | null
  /** The command gets the settings by which Hugging Face's clients use this hub, with a key of the run's own. */
  readonly hf: boolean
  /** Standard input and output are a terminal. */
  readonly isTerminal: boolean
  /** Between reports. */
  readonly intervalMs: number
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /** How long a hub that does not answer is waited for at the end. */
  readonly waitMs: number
  /** The address of the run's page. */
  readonly pageOf: (run: string) => string
  /** Calls back for each signal that this process gets. Returns a function that ends it. */
  readonly onSignal: (listener: (name: NodeJS.Signals) => void) => () => void
  readonly logLine: (line: string) => void
}

export interface TrackOutcome {
  /** `unknown`: a kill hid how the command ended; `none`: there was no command. */
  readonly ended: { readonly code: number; readonly signal: NodeJS.Signals | null } | 'unknown' | 'none'
  /** Everything is at the hub. */
  readonly isSent: boolean
  /** Where what is not sent is kept. */
  readonly folder: string
  readonly run: string | null
}

const COLLECT_MS = 500
/** The command does not wait longer for a hub that does not answer. */
const BEGIN_MS = 10_000

/** Begins the run, waiting a little for a hub that does not answer. Rejects if the hub refuses it. */
async function beginRun(sender: Sender, logLine: (line: string) => void): Promise<void> {
  try {
    await sender.begin(AbortSignal.timeout(BEGIN_MS))
  } catch (error) {
    if (isRefusal(error) || (error as { status?: number }).status === 401) throw error
    logLine(`the run begins when the hub answers (${reasonOf(error)}); until then it is kept on this machine`)
  }
}

/**
 * Tracks the run of a folder to its end. `argv`: a command to start first; null to follow the one that may still run,
 * or to send what one left. Rejects if the hub refuses the run before its command has begun.
 */
export async function trackRun(
  tracking: Tracking,
  files: TrackFiles,
  journal: TrackJournal,
  argv: readonly string[] | null,
): Promise<TrackOutcome> {
  const { logLine } = tracking
  await mkdir(files.dir, { recursive: true, mode: 0o700 })
  const spool = openSpool(files.spool)
  const stop = new AbortController()
  const progress = { isComplete: false, isCanceled: false, command: null as FollowedCommand | null }
  const sender = senderOf(tracking, files, journal, { stop: stop.signal, progress })
  let removeListener = () => {}
  let reading = Promise.resolve()
  try {
    if (argv !== null) {
      const { cwd } = journal.state
      reading = keepEnvironment(files.environment, { argv, cwd, env: tracking.env }).catch((error: unknown) =>
        logLine(`what the run is made with cannot be read: ${reasonOf(error)}`),
      )
      await beginRun(sender, logLine)
    }
    const hf = tracking.hf && argv !== null ? hfVariables(tracking.url, await sender.makeKey()) : {}
    const env = { ...tracking.env, ...hf }
    const child = argv === null ? null : await start({ ...tracking, env }, files, journal, argv)
    const command =
      journal.state.ending === null && journal.state.commands > 0 ? followCommand(files, journal, child) : null
    progress.command = command
    removeListener = tracking.onSignal((name) => {
      if (progress.isComplete || command === null) stop.abort(new Error('interrupted'))
      else command.signal(name)
    })
    const collector = startCollector(sourcesOf(tracking, files, journal, spool), { everyMs: COLLECT_MS, logLine })
    const sending = sender.run()
    if (progress.isCanceled) void command?.stop(tracking.graceMs)
    const code = command === null ? null : await command.ended()
    await endLocally(files, journal, { code, hasCommand: command !== null, isCanceled: progress.isCanceled })
    await Promise.all([collector.finish(), reading])
    progress.isComplete = true
    sender.wake()
    await within(tracking.waitMs, sender, sending, stop)
    const isSent = journal.state.done
    const run = journal.state.started ? journal.state.runId : null
    if (isSent && journal.state.unsent) logLine(`what the hub did not take stays in ${files.root}`)
    else if (isSent) await rm(files.root, { recursive: true, force: true, maxRetries: 3 })
    return { ended: endOf(command, code), isSent, folder: files.root, run }
  } finally {
    removeListener()
    stop.abort(new Error('ended'))
    spool.close()
  }
}

/** Starts the command as the next one of the run. */
async function start(
  tracking: Tracking,
  files: TrackFiles,
  journal: TrackJournal,
  argv: readonly string[],
): Promise<ChildProcess> {
  const nth = journal.state.commands + 1
  for (const file of [files.reported, files.media, files.artifacts]) await endTornLine(file)
  journal.put({ commands: nth, command: null, argv: [...argv] })
  const { runId, started, cwd } = journal.state
  const env = {
    ...withWandb(tracking.env, tracking.wandb),
    HUB_URL: tracking.url,
    HUB_RUN_DIR: files.dir,
    // Before the hub has answered there is no id yet; clients ask whether there is one.
    HUB_RUN_ID: started ? runId : 'not-begun-yet',
    HUB_RUN_URL: started ? tracking.pageOf(runId) : undefined,
  }
  return launch({ argv, cwd, env, files, nth, isTerminal: tracking.isTerminal })
}

function sourcesOf(
  { env, logLine }: Tracking,
  files: TrackFiles,
  journal: TrackJournal,
  spool: Spool,
): readonly Source[] {
  const { sources, eventFolders, systemEveryMs: everyMs, cwd: folder, ending } = journal.state
  const reported = linesSource({ file: files.reported, name: 'metrics.jsonl', spool, logLine })
  const machine = everyMs > 0 && ending === null ? [systemSource({ spool, folder, env, everyMs })] : []
  const given = { spool, logLine }
  const folders = eventFolders.map((one) => eventFolder(one, { ...given, files }))
  const watched = journal.state.watchEvents ? [foundEvents({ ...given, files, journal })] : []
  const summary = summarySource({ file: files.summary, spool, logLine })
  return [reported, summary, ...sources.map((source) => metricFile(source, given)), ...folders, ...watched, ...machine]
}

interface Progress {
  isComplete: boolean
  isCanceled: boolean
  command: FollowedCommand | null
}

function senderOf(
  tracking: Tracking,
  files: TrackFiles,
  journal: TrackJournal,
  { stop, progress }: { readonly stop: AbortSignal; readonly progress: Progress },
): Sender {
  const { url, token, cacheDir, intervalMs, logLine } = tracking
  const once = { attempts: 1, baseMs: 250, maxMs: 5000, random: Math.random }
  return createSender({
    client: createHubClient({ url, token, signal: stop, retry: once }),
    transfers: createHubClient({ url, token, signal: stop }),
    ...{ files, journal, cacheDir, intervalMs, logLine, stop },
    isComplete: () => progress.isComplete,
    taken: ({ id }) => logLine(`tracked as ${tracking.pageOf(id)}`),
    canceled() {
      if (progress.isCanceled) return
      progress.isCanceled = true
      if (progress.isComplete) return
      logLine('the hub asks the run to stop; stopping the command')
      void progress.command?.stop(tracking.graceMs)
    },
  })
}

/** Decides how the run ends; on disk before anything else, so that no later start begins the command again. */
async function endLocally(
  files: TrackFiles,
  journal: TrackJournal,
  {
    code,
    hasCommand,
    isCanceled,
  }: { readonly code: number | null; readonly hasCommand: boolean; readonly isCanceled: boolean },
): Promise<void> {
  if (journal.state.ending !== null) return
  if (isCanceled) return journal.put({ ending: { status: 'canceled', error: null } })
  if (code === 0) return journal.put({ ending: { status: 'succeeded', error: null } })
  const last = await lastLine(files.output)
  const what = hasCommand ? howEnded(code) : 'The command was never started'
  journal.put({ ending: { status: 'failed', error: last === '' ? `${what}.` : `${what}: ${last}` } })
}

function howEnded(code: number | null): string {
  if (code === null) return 'The command was killed'
  const signal = signalIn(code)
  return signal === null ? `The command ended with exit code ${code}` : `The command was ended by ${signal}`
}

function endOf(command: FollowedCommand | null, code: number | null): TrackOutcome['ended'] {
  if (command === null) return 'none'
  return code === null ? 'unknown' : { code, signal: signalIn(code) }
}

/** Waits for the sender, as long as the hub answers now and then. */
async function within(
  waitMs: number,
  sender: Sender,
  sending: ReturnType<Sender['run']>,
  stop: AbortController,
): Promise<void> {
  const endedAt = performance.now()
  const ended = new AbortController()
  const over = sending.finally(() => ended.abort())
  while (!ended.signal.aborted && !stop.signal.aborted) {
    if (performance.now() - Math.max(endedAt, sender.answeredAt()) > waitMs) stop.abort(new Error('waited'))
    await pause(100, ended.signal)
  }
  await over
}
