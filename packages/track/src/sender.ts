/** Brings a tracked run to the hub: reports, renews the lease, goes on after a lost hub. */
import { type HubClient, ProblemError } from '@hub/client/internal'
import type { RemoteRun } from '@hub/client/run-shapes'
import { parseExact } from '@hub/formats/exact-json'
import { stabilityCheck } from '@hub/runner/checkpoint-folders'
import { leaseMs } from '@hub/runner/deadline'
import { errorToReport } from '@hub/runner/left-behind'
import { createPublisher, type Publisher } from '@hub/runner/publish-checkpoints'
import { ClaimLostError, createReporter, type Reporter } from '@hub/runner/send-report'
import { type ConfigSeen, sendConfig, sendOutput, sendScorecard } from '@hub/runner/send-run-files'
import { environmentIn } from './environment/environment.ts'
import { artifactSender } from './files/artifact-sender.ts'
import { type Background, inBackground } from './files/in-background.ts'
import { mediaSender } from './files/media-sender.ts'
import { makeKey } from './hf-variables.ts'
import { pause } from './pause.ts'
import { isRefusal, type RunClaim, reasonOf, runClaim } from './run-claim.ts'
import { wordSender } from './run-words.ts'
import { configWithHparams } from './sources/hparams.ts'
import { objectOf } from './spool.ts'
import type { TrackFiles } from './track-folder.ts'
import type { TrackJournal } from './track-journal.ts'

export interface SenderOptions {
  /** Tries each request once: the sender itself tries again. */
  readonly client: HubClient
  /** For files: tries again by itself. */
  readonly transfers: HubClient
  readonly files: TrackFiles
  readonly journal: TrackJournal
  readonly cacheDir: string
  readonly intervalMs: number
  /** All there is has been collected: what is sent now is the last. */
  readonly isComplete: () => boolean
  /** The run has started, or another one from now on. */
  readonly taken: (run: RemoteRun) => void
  /** The hub asks the run to stop. */
  readonly canceled: () => void
  readonly logLine: (line: string) => void
  readonly stop: AbortSignal
}

export interface Sender {
  /** Begins the run; rejects if the hub refuses it or does not answer. */
  begin(signal: AbortSignal): Promise<void>
  /** A key for what the command pushes. Rejects without the hub. */
  makeKey(): Promise<string>
  /** Sends until the end is reported (`done`), the hub takes nothing more (`over`), or `stop` aborts (`left`). */
  run(): Promise<'done' | 'over' | 'left'>
  /** Sends soon. */
  wake(): void
  /** When the hub last answered, on the monotonic clock. */
  answeredAt(): number
}

const SETTLE_MS = 3000
/** Maximum time without a report, in intervals: it bounds how late a cancel is seen. */
const HEARTBEAT_INTERVALS = 2.5
const MAX_PAUSE_MS = 15_000
/** After a refusal that only a person can change. */
const PATIENCE_MS = 30_000

/** The sender of one tracked run. */
export function createSender(options: SenderOptions): Sender {
  const { client, transfers, journal, logLine, canceled } = options
  const lease = leaseOf(options)
  let attempt: Attempt | null = null
  const claim = runClaim({
    client,
    journal,
    logLine,
    taken(run) {
      attempt = null
      lease.heard(run)
      options.taken(run)
    },
    canceled,
  })
  const round = roundOf(options, { claim, lease, attemptNow: () => (attempt ??= openAttempt(options)) })
  const pauses = pausesOf(options.stop)
  return {
    begin: (signal) => claim.begin(signal),
    makeKey: () => makeKey({ client: transfers, journal, recover: claim.recover }),
    answeredAt: lease.answeredAt,
    wake: pauses.wake,
    run: () => sendUntilEnd(options, () => orClaimed(round, claim, journal), pauses.wait),
  }
}

/** When the hub last answered, and until when the next report keeps the lease. */
function leaseOf({ intervalMs, canceled }: SenderOptions) {
  let answeredAt = performance.now()
  let reportedAt = Number.NEGATIVE_INFINITY
  let heartbeatMs = HEARTBEAT_INTERVALS * intervalMs
  return {
    heard(run: RemoteRun): void {
      answeredAt = performance.now()
      reportedAt = answeredAt
      heartbeatMs = Math.min(HEARTBEAT_INTERVALS * intervalMs, leaseMs(run) / 3)
      if (run.cancel_requested_at) canceled()
    },
    isReportDue: () => performance.now() - reportedAt >= heartbeatMs,
    answeredAt: () => answeredAt,
  }
}

interface RoundParts {
  readonly claim: RunClaim
  readonly lease: ReturnType<typeof leaseOf>
  /** Of the attempt that the run is in. */
  readonly attemptNow: () => Attempt
}

/** One round of reports; true once everything is there. */
function roundOf(options: SenderOptions, { claim, lease, attemptNow }: RoundParts): () => Promise<boolean> {
  const { files, journal, logLine } = options
  const media = inBackground(mediaSender(options), { what: 'media', journal, logLine })
  const artifacts = inBackground(artifactSender(options), { what: 'artifacts', journal, logLine })
  return async () => {
    await claim.begin()
    const { reporter, publisher } = attemptNow()
    const isFinal = options.isComplete()
    const flushed = await reporter.flush(isFinal)
    const answer = (await attemptNow().files(isFinal)) ?? flushed
    if (answer) lease.heard(answer)
    if (lease.isReportDue()) lease.heard(await reporter.post({}))
    // Files take long; the reports between keep the lease.
    const areSent = [publisher, media, artifacts].map((one) => one.poll(isFinal))
    if (!isFinal || areSent.includes(false)) return false
    await sendOutput(reporter, journal)
    await sendScorecard(reporter, files, journal, logLine)
    await reportEnd(reporter, options)
    return true
  }
}

async function reportEnd(reporter: Reporter, options: SenderOptions): Promise<void> {
  const { files, journal } = options
  const { ending } = journal.state
  if (ending === null) throw new Error('A run was ended without saying how.')
  const { status } = ending
  const error = errorToReport(ending.error, files, journal)
  try {
    await reporter.post({ status, ...(error === null ? {} : { error }) })
  } catch (failure) {
    // `canceled` without a request: the run that was asked to stop is another one now.
    if (!(failure instanceof ProblemError && failure.status === 422 && status === 'canceled')) throw failure
    journal.put({ ending: { status: 'failed', error: 'The command was canceled.' } })
    return reportEnd(reporter, options)
  }
  journal.put({ done: true })
}

type RoundEnd = 'again' | 'done' | 'over'

/** A round; the run is claimed again where the hub refuses a report as not ours. */
async function orClaimed(round: () => Promise<boolean>, claim: RunClaim, journal: TrackJournal): Promise<RoundEnd> {
  try {
    return (await round()) ? 'done' : 'again'
  } catch (error) {
    if (!(error instanceof ClaimLostError && error.cause instanceof ProblemError)) throw error
    if ([401, 403].includes(error.cause.status)) throw error.cause
    const outcome = await claim.recover(error.cause)
    return outcome === 'over' && journal.state.done ? 'done' : outcome
  }
}

/** Pauses that `wake` and `stop` end. */
function pausesOf(stop: AbortSignal) {
  let wake = () => {}
  return {
    wake: () => wake(),
    async wait(ms: number): Promise<void> {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      await Promise.race([pause(ms, stop), woken])
    },
  }
}

/** Rounds until one is the last; while the hub takes nothing they come further apart, and the reason is said once. */
async function sendUntilEnd(
  { isComplete, intervalMs, logLine, stop }: SenderOptions,
  round: () => Promise<RoundEnd>,
  wait: (ms: number) => Promise<void>,
): Promise<'done' | 'over' | 'left'> {
  let failures = 0
  let said = ''
  while (!stop.aborted) {
    try {
      const outcome = await round()
      if (outcome !== 'again') return outcome
      if (failures > 0) logLine('the hub answers again')
      failures = 0
      said = ''
      await wait(isComplete() ? 100 : intervalMs)
    } catch (error) {
      if (stop.aborted) return 'left'
      failures += 1
      const line = `the hub takes nothing now (${reasonOf(error)}); it is kept and sent later`
      if (line !== said) logLine(line)
      said = line
      await wait(isRefusal(error) ? PATIENCE_MS : Math.min(MAX_PAUSE_MS, 250 * 2 ** Math.min(failures, 10)))
    }
  }
  return 'left'
}

interface Attempt {
  readonly reporter: Reporter
  readonly publisher: Background
  /**
   * Sends what the run was made with, its words, its config and the name of the output repo; the hub's answer, if
   * anything was sent.
   */
  files(isFinal: boolean): Promise<RemoteRun | null>
}

function openAttempt(options: SenderOptions): Attempt {
  const { client, transfers, files, journal, logLine } = options
  const reporter = createReporter({ client, files, journal, hyperparams: {}, metricsOf: objectOf, logLine })
  let config: ConfigSeen | null = null
  const words = wordSender(options)
  return {
    reporter,
    publisher: inBackground(publisherOf(options, transfers), { what: 'checkpoints', journal, logLine }),
    async files(isFinal) {
      const answer = await sendEnvironment(reporter, options)
      await words.send(isFinal)
      const sent = { config: await configWithHparams(files) }
      config = await sendConfig({ reporter, files: sent, journal, before: config, isFinal, logLine })
      return (await sendOutput(reporter, journal)) ?? answer
    },
  }
}

/** Sends command, code, packages and machine once they are read. A hub that knows none of it keeps the run without. */
async function sendEnvironment(
  reporter: Reporter,
  { files, journal, logLine }: SenderOptions,
): Promise<RemoteRun | null> {
  if (journal.state.environmentSent) return null
  const text = await environmentIn(files.environment)
  if (text === null) return null
  const post = reporter.post({ environment: parseExact(text) as Record<string, unknown> })
  const answer = await post.catch((error: unknown) => {
    if (!(error instanceof ProblemError) || ![400, 413, 422].includes(error.status)) throw error
    logLine(`what the run was made with is not kept: ${reasonOf(error)}`)
    return null
  })
  journal.put({ environmentSent: true })
  return answer
}

function publisherOf({ files, journal, cacheDir, logLine }: SenderOptions, client: HubClient): Publisher {
  const repo = journal.state.target
  if (repo === null) throw new Error('Checkpoints are published before the run has started.')
  const isStable = stabilityCheck(files.checkpoints, SETTLE_MS)
  const { runId } = journal.state
  return createPublisher({ client, files, journal, runId, repo, cacheDir, isStable, logLine })
}
