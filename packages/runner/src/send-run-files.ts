/**
 * What a run's folder holds next to log, metrics and checkpoints: its config, its scorecard, and the repo of its
 * output.
 */
import { failureLine, ProblemError } from '@hub/client/internal'
import type { RemoteRun } from '@hub/client/run-shapes'
import { parseExact } from '@hub/formats/exact-json'
import { type RunFiles, textOf, versionOf } from './run-files.ts'
import type { RunJournal } from './run-journal.ts'
import type { Reporter } from './send-report.ts'

type LogLine = (line: string) => void

/**
 * Sends config.yaml when it is unchanged for one interval, and again once it has changed: the hub keeps the last one.
 * Returns its version.
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
  readonly before: string | null
  readonly isFinal: boolean
  readonly logLine: LogLine
}): Promise<string | null> {
  const version = await versionOf(files.config)
  if (version === null || version === journal.state.configVersion) return version
  if (version !== before && !isFinal) return version
  const text = await textOf(files.config)
  if (text) await sendOrSkip(journal, 'config.yaml', () => reporter.post({ config_yaml: text }), logLine)
  journal.put({ configVersion: version })
  return version
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
      logLine,
    )
  journal.put({ scorecardSent: true })
}

/** Skips a file that the hub rejects or that is not JSON; the run continues. */
async function sendOrSkip(
  journal: RunJournal,
  name: string,
  send: () => Promise<unknown>,
  logLine: LogLine,
): Promise<void> {
  try {
    await send()
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof ProblemError && error.status < 500)) throw error
    journal.put({ unsent: true })
    logLine(`${name} skipped: ${failureLine(error)}`)
  }
}
