/**
 * What of a run the hub did not take: it stays in the folder. The run's last report says so, since a run ends as its
 * command did and otherwise looks whole.
 */
import { failureLine } from '@hub/client/internal'
import type { RunFiles } from './run-files.ts'
import type { RunJournal } from './run-journal.ts'

/** Of a run whose repo was refused there is one line; of one with a thousand bad folders the first say enough. */
const MOST_LINES = 20

/** Notes in the journal what was left, each thing once, with the first reason. */
export function leaveBehind(journal: RunJournal, what: string, why: unknown): void {
  const { leftBehind } = journal.state
  const isKnown = leftBehind.some((line) => line.startsWith(`${what}: `)) || leftBehind.length >= MOST_LINES
  journal.put({ unsent: true, ...(!isKnown && { leftBehind: [...leftBehind, `${what}: ${failureLine(why)}`] }) })
}

/**
 * The `error` of the last report: why the run failed, and what was left behind. The hub writes that of a run that
 * succeeded into its log, where a full quota does not keep it out.
 */
export function errorToReport(error: string | null, files: Pick<RunFiles, 'dir'>, journal: RunJournal): string | null {
  const { leftBehind } = journal.state
  const lines = [...(error === null ? [] : [error]), ...leftBehind]
  if (leftBehind.length > 0) lines.push(`The files are kept in ${files.dir} of the machine that ran it.`)
  return lines.length === 0 ? null : lines.join('\n')
}
