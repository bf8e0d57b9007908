/** Executes one claimed run: starts the command or reattaches to it, reports its output, publishes its checkpoints. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { HubClient } from '@hub/client/internal'
import { failureLine } from '@hub/client/internal'
import type { RemoteRun } from '@hub/client/run-shapes'
import { isJsonObject, writeExact } from '@hub/formats/exact-json'
import { backgroundTask } from './background.ts'
import { stabilityCheck } from './checkpoint-folders.ts'
import { exitCodeIn, isAlive, startCommand, stopCommand } from './command.ts'
import { createDeadline, type Deadline, isPastDeadline, leaseMs } from './deadline.ts'
import { gateRemaining } from './gate-remaining.ts'
import { startGating } from './gating.ts'
import { errorToReport, leaveBehind } from './left-behind.ts'
import { createPublisher, outputSlug } from './publish-checkpoints.ts'
import { type RunFiles, removeFolder, runFiles, versionOf } from './run-files.ts'
import { newState, type RunJournal, readRunState } from './run-journal.ts'
import { type RunResult, resultOf } from './run-result.ts'
import { ClaimLostError, createReporter, type Reporter } from './send-report.ts'
import { type ConfigSeen, sendConfig, sendOutput, sendScorecard } from './send-run-files.ts'
import { openJournal } from './worker/journal.ts'

export interface Runner {
  /** Retries for as long as the runner lives: the hub may be unreachable for a while. */
  readonly client: HubClient
  readonly workDir: string
  readonly cacheDir: string
  /** The shell command; gets the recipe on standard input. */
  readonly command: string
  /** Environment of the command; the run's own variables are added. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly gpuTier?: string
  /** The shell command that gates a checkpoint; without it none is gated. */
  readonly batteryCommand?: string
  /** Interval of the checks for checkpoints to gate. */
  readonly gateEveryMs: number
  /** Interval of the reports. */
  readonly intervalMs: number
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /** Keeps the folder of a run that was all reported; else it is removed. */
  readonly keepFiles?: boolean
  /** Stops the runner; the run fails with the abort reason. */
  readonly stop: AbortSignal
  readonly logLine: (line: string) => void
}

export interface RunOutcome {
  readonly run: string
  readonly status: RunResult['status'] | 'lost'
  readonly error: string | null
}

const SETTLE_MS = 3000
/**
 * Maximum time without a report, in intervals; bounds how late a cancel is seen. A short lease is renewed three times
 * before it expires.
 */
const HEARTBEAT_INTERVALS = 2.5
const POLL_MS = 100

/** Rejects only if the client gives up or local file access fails; the command is stopped then. */
export async function executeRun(runner: Runner, run: RemoteRun): Promise<RunOutcome> {
  const files = runFiles(runner.workDir, run.id, run.attempt)
  await mkdir(files.dir, { recursive: true, mode: 0o700 })
  const before = readRunState(files.journal)
  const journal = openJournal(
    files.journal,
    before ?? newState({ runId: run.id, url: runner.client.url, attempt: run.attempt }),
  )
  const logLine = (line: string) => runner.logLine(`${run.id}: ${line}`)
  // Immediately, even while a report to an unreachable hub is being retried.
  const stopNow = () => {
    if (!journal.state.ending && !existsSync(files.exitCode))
      journal.put({ ending: { status: 'failed', error: reasonOf(runner.stop) } })
    void stop(runner, journal)
  }
  if (runner.stop.aborted) stopNow()
  else runner.stop.addEventListener('abort', stopNow)
  try {
    await startOnce(runner, run, files, journal)
    return await supervise({ ...runner, logLine }, run, files, journal)
  } catch (error) {
    await stop(runner, journal)
    if (!(error instanceof ClaimLostError)) throw error
    journal.put({ done: true })
    logLine(`claim lost, command stopped: ${error.message}`)
    logLine(`its files are kept in ${files.dir}`)
    return { run: run.id, status: 'lost', error: error.message }
  } finally {
    runner.stop.removeEventListener('abort', stopNow)
  }
}

async function stop(runner: Runner, journal: RunJournal): Promise<void> {
  const { command, gating } = journal.state
  await Promise.all([command, gating?.command].map((each) => each && stopCommand(each, runner.graceMs)))
}

async function startOnce(runner: Runner, run: RemoteRun, files: RunFiles, journal: RunJournal): Promise<void> {
  if (journal.state.command !== null || journal.state.ending !== null) return
  // The previous runner was killed after the start and before recording it: a second command would write to the same
  // files.
  if ((await versionOf(files.output)) !== null) {
    return journal.put({ ending: { status: 'failed', error: 'The runner was killed while starting the command.' } })
  }
  const steps = await runner.client.runs.checkpointSteps(run.id)
  if (steps.length > 0)
    journal.put({ published: { step: Math.max(...steps), repo: run.output_model_repo?.full_name ?? '' } })
  await writeFile(files.input, `${writeExact(run.recipe)}\n`, { mode: 0o600 })
  const env = { ...runner.env, ...ownVariables(runner, run, files) }
  try {
    journal.put({ command: await startCommand(runner.command, files, env) })
  } catch (error) {
    journal.put({ ending: { status: 'failed', error: `The command cannot be started: ${failureLine(error)}` } })
  }
}

const ownVariables = ({ client }: Runner, { id }: RemoteRun, files: RunFiles) => ({
  HUB_URL: client.url,
  HUB_RUN_ID: id,
  HUB_RUN_DIR: files.dir,
})

/** Reports at a fixed interval until the command has ended and all its output is sent, then reports the result. */
async function supervise(runner: Runner, run: RemoteRun, files: RunFiles, journal: RunJournal): Promise<RunOutcome> {
  const { client, logLine } = runner
  const hyperparams = isJsonObject(run.recipe.hyperparams) ? run.recipe.hyperparams : {}
  const reporter = createReporter({ client, files, journal, hyperparams, gpuTier: runner.gpuTier, logLine })
  const isStable = stabilityCheck(files.checkpoints, SETTLE_MS)
  const repo = { owner: run.owner.handle, slug: outputSlug(run) }
  const publisher = createPublisher({
    ...{ client, files, journal, repo, runId: run.id },
    ...{ cacheDir: runner.cacheDir, isStable, logLine },
  })
  const leave = (error: unknown) => leaveBehind(journal, 'Checkpoints were not published', error)
  const publishing = backgroundTask(publisher.poll, { what: 'checkpoints', logLine, leave })
  const env = { ...runner.env, ...ownVariables(runner, run, files) }
  const gating = startGating(run, {
    ...{ client, files, journal, env, isStable, logLine },
    command: runner.batteryCommand,
    everyMs: runner.gateEveryMs,
    graceMs: runner.graceMs,
  })
  const deadline = createDeadline(run)
  const stopWatching = watchDeadline(runner, files, journal, deadline)
  const heartbeatMs = Math.min(HEARTBEAT_INTERVALS * runner.intervalMs, leaseMs(run) / 3)
  let config: ConfigSeen | null = null
  let reportedAt = performance.now()
  try {
    for (;;) {
      const isOver = await hasEnded(files, journal)
      let answer = await reporter.flush(isOver)
      config = await sendConfig({ reporter, files, journal, before: config, isFinal: isOver, logLine })
      answer = (await sendOutput(reporter, journal)) ?? answer
      if (!answer && performance.now() - reportedAt >= heartbeatMs) answer = await reporter.post({})
      if (answer) reportedAt = performance.now()
      deadline.update(answer)
      if (isOver) break
      if (journal.state.ending) await stop(runner, journal)
      else if (answer?.cancel_requested_at) await stopAsRequested(runner, journal, answer, deadline)
      else if (gating.stopRequested()) await stopAsRequested(runner, journal, null, deadline)
      else {
        publishing.poll()
        gating.poll()
      }
      await nextInterval(runner, files, journal)
    }
    await publishing.finish()
    await sendOutput(reporter, journal)
    if (!journal.state.ending && (await exitCodeIn(files.exitCode)) === 0)
      await gateRemaining(gating, reporter, deadline, { heartbeatMs, stop: runner.stop })
  } finally {
    stopWatching()
    await gating.close()
  }
  await sendScorecard(reporter, files, journal, logLine)
  const outcome = await finish(runner, reporter, files, journal)
  await endFolder(runner, files, journal, await publisher.hasAll().catch(() => false))
  return outcome
}

/** The folder goes once everything in it that the runner looks for is at the hub. */
async function endFolder(
  { keepFiles = false, logLine }: Runner,
  files: RunFiles,
  journal: RunJournal,
  hasAll: boolean,
): Promise<void> {
  const removable = hasAll && !journal.state.unsent && !keepFiles
  journal.put({ done: true, removable })
  if (!removable) return logLine(`its files are kept in ${files.dir}`)
  await removeFolder(files).catch((error: unknown) => logLine(`its files cannot be removed: ${failureLine(error)}`))
}

/** Stops the command at the deadline, even while a report to an unreachable hub is being retried. */
function watchDeadline(runner: Runner, files: RunFiles, journal: RunJournal, deadline: Deadline): () => void {
  const timer = setInterval(() => {
    if (!deadline.isOver() || journal.state.ending || existsSync(files.exitCode)) return
    journal.put({ ending: { status: 'failed', error: deadline.reason } })
    runner.logLine('max_hours used up; stopping the command')
    void stop(runner, journal)
  }, POLL_MS)
  return () => clearInterval(timer)
}

/** Stops as the hub requested: past the deadline the run fails, otherwise it is canceled. */
async function stopAsRequested(
  runner: Runner,
  journal: RunJournal,
  answer: RemoteRun | null,
  deadline: Deadline,
): Promise<void> {
  const isLate = answer !== null && isPastDeadline(answer)
  journal.put({
    ending: isLate ? { status: 'failed', error: deadline.reason } : { status: 'canceled', error: null },
  })
  runner.logLine('the run was asked to stop; stopping the command')
  await stop(runner, journal)
}

/** Also stops processes that the command left behind in its group. */
async function hasEnded(files: RunFiles, journal: RunJournal): Promise<boolean> {
  const { command } = journal.state
  if (!command) return true
  if ((await exitCodeIn(files.exitCode)) === null && isAlive(command)) return false
  await stopCommand(command, 2000)
  return true
}

async function nextInterval(runner: Runner, files: RunFiles, journal: RunJournal): Promise<void> {
  const until = performance.now() + runner.intervalMs
  while (performance.now() < until) {
    if (journal.state.ending) return
    if ((await exitCodeIn(files.exitCode)) !== null) return
    await delay(Math.max(1, Math.min(POLL_MS, until - performance.now())))
  }
}

async function finish(runner: Runner, reporter: Reporter, files: RunFiles, journal: RunJournal): Promise<RunOutcome> {
  const { runId, attempt } = journal.state
  const ending = journal.state.ending ?? (await resultOf(files))
  journal.put({ ending })
  const { status, error } = ending
  const said = errorToReport(error, files, journal)
  try {
    await reporter.post({ status, ...(said === null ? {} : { error: said }) })
  } catch (failure) {
    if (!(failure instanceof ClaimLostError)) throw failure
    // The response to an earlier attempt may have been lost.
    const now = await runner.client.runs.get(runId)
    if (now.status !== status || now.attempt !== attempt) throw failure
  }
  return { run: runId, status, error }
}

const reasonOf = ({ reason }: AbortSignal) => (reason instanceof Error ? reason.message : 'The runner was stopped.')
