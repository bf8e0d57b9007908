/** One claimed run from its recipe to its end: starts the command or finds it again, reports what it writes, publishes its checkpoints. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { isJsonObject, readJson, writeJson } from '../exact-json.ts'
import type { HubClient } from '../hub-client.ts'
import { failureLine, ProblemError } from '../problem.ts'
import type { RemoteRun } from '../run-shapes.ts'
import { background } from './background.ts'
import { settledFolders } from './checkpoint-folders.ts'
import { exitCodeIn, isAlive, startCommand, stopCommand } from './command.ts'
import { createDeadline, type Deadline, isPastDeadline, leaseMs } from './deadline.ts'
import { endOf, type RunEnding } from './ending.ts'
import { type Gating, gatingOf } from './gating.ts'
import { type Journal, newState, openJournal, readJournal } from './journal.ts'
import { createPublisher, outputSlug } from './publish-checkpoints.ts'
import { type RunFiles, runFiles, stampOf, textOf } from './run-files.ts'
import { createReporter, LostClaim, type Reporter } from './send-report.ts'

export interface Runner {
  /** Its calls are tried for as long as the runner lives: a hub may be away for a while. */
  readonly client: HubClient
  readonly workDir: string
  readonly cacheDir: string
  /** What a shell runs, with the recipe on standard input. */
  readonly command: string
  /** Of the command; the run's own variables are added. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly gpuTier?: string
  /** What a shell runs to gate a checkpoint; without it none is gated. */
  readonly batteryCommand?: string
  /** Between looks for checkpoints to gate. */
  readonly gateEveryMs: number
  /** Between reports. */
  readonly intervalMs: number
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /** Aborted: the runner is to stop; the run fails with the reason. */
  readonly stop: AbortSignal
  readonly tell: (line: string) => void
}

export interface RunOutcome {
  readonly run: string
  readonly status: RunEnding['status'] | 'lost'
  readonly error: string | null
}

const SETTLE_MS = 3000
/** The most time without a report, in beats: a cancel is seen no later. A short lease is renewed three times before it ends. */
const HEARTBEAT_BEATS = 2.5
const LOOK_MS = 100

/** Rejects only when the client gives up, or on trouble with the files of this machine; the command is stopped then. */
export async function executeRun(runner: Runner, run: RemoteRun): Promise<RunOutcome> {
  const files = runFiles(runner.workDir, run.id, run.attempt)
  await mkdir(files.dir, { recursive: true })
  const before = readJournal(files.journal)
  const journal = openJournal(
    files.journal,
    before ?? newState({ runId: run.id, url: runner.client.url, attempt: run.attempt }),
  )
  const tell = (line: string) => runner.tell(`${run.id}: ${line}`)
  // At once, though a report may be under way to a hub that is away.
  const stopNow = () => {
    if (!journal.state.ending && !existsSync(files.exitCode))
      journal.put({ ending: { status: 'failed', error: reasonOf(runner.stop) } })
    void stop(runner, journal)
  }
  if (runner.stop.aborted) stopNow()
  else runner.stop.addEventListener('abort', stopNow)
  try {
    await begin(runner, run, files, journal)
    return await attend({ ...runner, tell }, run, files, journal)
  } catch (error) {
    await stop(runner, journal)
    if (!(error instanceof LostClaim)) throw error
    journal.put({ done: true })
    tell(`the claim is lost, the command was stopped: ${error.message}`)
    return { run: run.id, status: 'lost', error: error.message }
  } finally {
    runner.stop.removeEventListener('abort', stopNow)
  }
}

async function stop(runner: Runner, journal: Journal): Promise<void> {
  const { command, gating } = journal.state
  await Promise.all([command, gating?.command].map((each) => each && stopCommand(each, runner.graceMs)))
}

async function begin(runner: Runner, run: RemoteRun, files: RunFiles, journal: Journal): Promise<void> {
  if (journal.state.command !== null || journal.state.ending !== null) return
  // It was killed between the start of the command and the note of it: a second one would write into the same files.
  if ((await stampOf(files.output)) !== null) {
    return journal.put({ ending: { status: 'failed', error: 'The runner was killed as it started the command.' } })
  }
  const steps = await runner.client.runs.checkpointSteps(run.id)
  if (steps.length > 0)
    journal.put({ published: { step: Math.max(...steps), repo: run.output_model_repo?.full_name ?? '' } })
  await writeFile(files.input, `${writeJson(run.recipe)}\n`, { mode: 0o600 })
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

/** Reports in a steady beat until the command has ended and all of it is said, then the end. */
async function attend(runner: Runner, run: RemoteRun, files: RunFiles, journal: Journal): Promise<RunOutcome> {
  const { client, tell } = runner
  const hyperparams = isJsonObject(run.recipe.hyperparams) ? run.recipe.hyperparams : {}
  const reporter = createReporter({ client, files, journal, hyperparams, gpuTier: runner.gpuTier, tell })
  const isSettled = settledFolders(files.checkpoints, SETTLE_MS)
  const repo = { owner: run.owner.handle, slug: outputSlug(run) }
  const publisher = createPublisher({ client, files, journal, repo, cacheDir: runner.cacheDir, isSettled, tell })
  const publishing = background(publisher.look, { what: 'checkpoints', tell })
  const env = { ...runner.env, ...ownVariables(runner, run, files) }
  const gating = gatingOf(run, {
    ...{ client, files, journal, env, isSettled, tell },
    command: runner.batteryCommand,
    everyMs: runner.gateEveryMs,
    graceMs: runner.graceMs,
  })
  const deadline = createDeadline(run)
  const unwatch = watchDeadline(runner, files, journal, deadline)
  const heartbeatMs = Math.min(HEARTBEAT_BEATS * runner.intervalMs, leaseMs(run) / 3)
  let config: string | null = null
  let saidAt = performance.now()
  try {
    for (;;) {
      const isOver = await hasEnded(files, journal)
      let answer = await reporter.flush(isOver)
      config = await sendConfig(reporter, files, journal, config, isOver, tell)
      answer = (await sendOutput(reporter, journal)) ?? answer
      if (!answer && performance.now() - saidAt >= heartbeatMs) answer = await reporter.post({})
      if (answer) saidAt = performance.now()
      deadline.see(answer)
      if (isOver) break
      if (journal.state.ending) await stop(runner, journal)
      else if (answer?.cancel_requested_at) await obey(runner, journal, answer, deadline)
      else if (gating.isAskedToStop()) await obey(runner, journal, null, deadline)
      else {
        publishing.look()
        gating.look()
      }
      await nextBeat(runner, files, journal)
    }
    await publishing.finish()
    await sendOutput(reporter, journal)
    if (!journal.state.ending && (await exitCodeIn(files.exitCode)) === 0)
      await gateTheRest(runner, gating, reporter, deadline, heartbeatMs)
  } finally {
    unwatch()
    await gating.close()
  }
  await sendScorecard(reporter, files, journal, tell)
  return finish(runner, reporter, files, journal)
}

/** Ends the command at the deadline, though a report may be under way to a hub that is away. */
function watchDeadline(runner: Runner, files: RunFiles, journal: Journal, deadline: Deadline): () => void {
  const timer = setInterval(() => {
    if (!deadline.isOver() || journal.state.ending || existsSync(files.exitCode)) return
    journal.put({ ending: { status: 'failed', error: deadline.reason } })
    runner.tell('its max_hours are used up; stopping the command')
    void stop(runner, journal)
  }, LOOK_MS)
  return () => clearInterval(timer)
}

/** Gates what the command left when it succeeded. The run is held meanwhile; who asks it to stop ends the gates, not the success. */
async function gateTheRest(
  runner: Runner,
  gating: Gating,
  reporter: Reporter,
  deadline: Deadline,
  heartbeatMs: number,
): Promise<void> {
  const done = gating.finish().then(() => true)
  while (!(await Promise.race([done, delay(heartbeatMs, false)]))) {
    const answer = await reporter.post({})
    deadline.see(answer)
    if (answer.cancel_requested_at || deadline.isOver() || runner.stop.aborted) await gating.close()
  }
}

/** Stops as the hub asks: at the deadline a run has failed, else it is canceled. */
async function obey(runner: Runner, journal: Journal, answer: RemoteRun | null, deadline: Deadline): Promise<void> {
  const isLate = answer !== null && isPastDeadline(answer)
  journal.put({
    ending: isLate ? { status: 'failed', error: deadline.reason } : { status: 'canceled', error: null },
  })
  runner.tell('the run was asked to stop; stopping the command')
  await stop(runner, journal)
}

/** What the command left behind in its group ends with it. */
async function hasEnded(files: RunFiles, journal: Journal): Promise<boolean> {
  const { command } = journal.state
  if (!command) return true
  if ((await exitCodeIn(files.exitCode)) === null && isAlive(command)) return false
  await stopCommand(command, 2000)
  return true
}

async function nextBeat(runner: Runner, files: RunFiles, journal: Journal): Promise<void> {
  const until = performance.now() + runner.intervalMs
  while (performance.now() < until) {
    if (journal.state.ending) return
    if ((await exitCodeIn(files.exitCode)) !== null) return
    await delay(Math.max(1, Math.min(LOOK_MS, until - performance.now())))
  }
}

/** Once, when it has stood unchanged from one beat to the next. Answers its stamp. */
async function sendConfig(
  reporter: Reporter,
  files: RunFiles,
  journal: Journal,
  before: string | null,
  isWhole: boolean,
  tell: Runner['tell'],
): Promise<string | null> {
  if (journal.state.configSent) return null
  const stamp = await stampOf(files.config)
  if (stamp === null || (stamp !== before && !isWhole)) return stamp
  const text = await textOf(files.config)
  if (text) await orWarn('config.yaml', () => reporter.post({ config_yaml: text }), tell)
  journal.put({ configSent: true })
  return stamp
}

async function sendOutput(reporter: Reporter, journal: Journal): Promise<RemoteRun | null> {
  const { published, outputReported } = journal.state
  if (!published?.repo || outputReported) return null
  const run = await reporter.post({ output_model_repo: published.repo })
  journal.put({ outputReported: true })
  return run
}

async function sendScorecard(
  reporter: Reporter,
  files: RunFiles,
  journal: Journal,
  tell: Runner['tell'],
): Promise<void> {
  if (journal.state.scorecardSent) return
  const text = await textOf(files.scorecard)
  if (text !== null)
    await orWarn(
      'scorecard.json',
      async () => reporter.post({ scorecard_json: readJson(text) as Record<string, unknown> }),
      tell,
    )
  journal.put({ scorecardSent: true })
}

/** A file that the hub refuses, or that is no JSON, is left out: the run goes on. */
async function orWarn(name: string, send: () => Promise<unknown>, tell: Runner['tell']): Promise<void> {
  try {
    await send()
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof ProblemError && error.status < 500)) throw error
    tell(`${name} was left out: ${failureLine(error)}`)
  }
}

async function finish(runner: Runner, reporter: Reporter, files: RunFiles, journal: Journal): Promise<RunOutcome> {
  const { runId, attempt } = journal.state
  const ending = journal.state.ending ?? (await endOf(files))
  journal.put({ ending })
  const { status, error } = ending
  try {
    await reporter.post({ status, ...(error === null ? {} : { error }) })
  } catch (failure) {
    if (!(failure instanceof LostClaim)) throw failure
    // The answer to an earlier try may have been lost.
    const now = await runner.client.runs.get(runId)
    if (now.status !== status || now.attempt !== attempt) throw failure
  }
  journal.put({ done: true })
  return { run: runId, status, error }
}

const reasonOf = ({ reason }: AbortSignal) => (reason instanceof Error ? reason.message : 'The runner was stopped.')
