/**
 * What a run's folder holds next to log, metrics and checkpoints: its config, its scorecard, and the repo of its
 * output.
 */
import { failureLine, ProblemError } from '@hub/client/internal'
import type { RemoteRun } from '@hub/client/run-shapes'
import { parseExact } from '@hub/formats/exact-json'
import { leaveBehind } from './left-behind.ts'
import { type RunFiles, textOf, versionOf } from './run-files.ts'
import type { RunJournal } from './run-journal.ts'
import type { Reporter } from './send-report.ts'

type LogLine = (line: string) => void

/** The config.yaml that was there an interval ago; `isRefused` while a full quota keeps it from the hub. */
export interface ConfigSeen {
  readonly version: string
  readonly isRefused: boolean
}

/**
 * Sends config.yaml when it is unchanged for one interval, and again once it has changed: the hub keeps the last one.
 * One for which the quota had no room is sent again at the end.
 */
export async function sendConfig({
  reporter,
  files,
  journal,
  before,
  isFinal,
  logLine,
}: {
  readonly reporter: Reporter
  readonly files: Pick<RunFiles, 'config'>
  readonly journal: RunJournal
  readonly before: ConfigSeen | null
  readonly isFinal: boolean
  readonly logLine: LogLine
}): Promise<ConfigSeen | null> {
  const version = await versionOf(files.config)
  if (version === null) return null
  const seen = { version, isRefused: false }
  if (version === journal.state.configVersion) return seen
  if (version !== before?.version && !isFinal) return seen
  if (before?.isRefused && !isFinal) return before
  const text = await textOf(files.config)
  const send = () => reporter.post({ config_yaml: text ?? '' })
  if (text && !(await sendOrSkip(journal, 'config.yaml', send, { logLine, mayWait: !isFinal })))
    return { version, isRefused: true }
  journal.put({ configVersion: version })
  return seen
}

/** Names the repo of the published checkpoints, once. */
export async function sendOutput(reporter: Reporter, journal: RunJournal): Promise<RemoteRun | null> {
  const { published, outputReported } = journal.state
  if (!published?.repo || outputReported) return null
  const run = await reporter.post({ output_model_repo: published.repo })
  journal.put({ outputReported: true })
  return run
}

/** Sends scorecard.json once, at the end. */
export async function sendScorecard(
  reporter: Reporter,
  files: Pick<RunFiles, 'scorecard'>,
  journal: RunJournal,
  logLine: LogLine,
): Promise<void> {
  if (journal.state.scorecardSent) return
  const text = await textOf(files.scorecard)
  if (text !== null)
    await sendOrSkip(
      journal,
      'scorecard.json',
      async () => reporter.post({ scorecard_json: parseExact(text) as Record<string, unknown> }),
      { logLine, mayWait: false },
    )
  journal.put({ scorecardSent: true })
}

/**
 * Skips a file that the hub rejects or that is not JSON; the run continues. False for one that waits until the quota
 * has room.
 */
async function sendOrSkip(
  journal: RunJournal,
  name: string,
  send: () => Promise<unknown>,
  { logLine, mayWait }: { readonly logLine: LogLine; readonly mayWait: boolean },
): Promise<boolean> {
  try {
    await send()
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof ProblemError && error.status < 500)) throw error
    if (mayWait && error instanceof ProblemError && error.kind.startsWith('quota.')) {
      logLine(`${name} waits for the end of the run: ${failureLine(error)}`)
      return false
    }
    leaveBehind(journal, `${name} was not sent`, error)
    logLine(`${name} skipped: ${failureLine(error)}`)
  }
  return true
}
