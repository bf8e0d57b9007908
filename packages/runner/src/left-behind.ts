/**
 * What of a run the hub did not take: it stays in the folder, and the end of the run's log says so, since a run ends as
 * its command did and otherwise looks whole.
 */
import { appendFile } from 'node:fs/promises'
import type { RunFiles } from './run-files.ts'
import type { RunJournal } from './run-journal.ts'
import type { Reporter } from './send-report.ts'
import { readFrom, sizeOf } from './worker/growing-file.ts'

/** Of a run whose repo was refused there is one line; of one with a thousand bad folders the first say enough. */
const MOST_LINES = 20
const NEWLINE = 10

/** Notes in the journal what was left, with the reason. */
export function leaveBehind(journal: RunJournal, line: string): void {
  const { leftBehind } = journal.state
  const isKnown = leftBehind.includes(line) || leftBehind.length >= MOST_LINES
  journal.put({ unsent: true, ...(!isKnown && { leftBehind: [...leftBehind, line] }) })
}

/** Ends the log with what was left, once: a runner that is killed meanwhile does not repeat it. */
export async function logLeftBehind(
  reporter: Reporter,
  files: Pick<RunFiles, 'dir' | 'output'>,
  journal: RunJournal,
): Promise<void> {
  const { leftBehind, leftBehindLogged } = journal.state
  if (leftBehind.length === 0 || leftBehindLogged) return
  journal.put({ leftBehindLogged: true })
  const size = await sizeOf(files.output)
  const isLineEnd = size === 0 || (await readFrom(files.output, size - 1, 1))[0] === NEWLINE
  const lines = [...leftBehind, `The files are kept in ${files.dir} of the machine that ran it.`]
  await appendFile(files.output, `${isLineEnd ? '' : '\n'}${lines.map((line) => `hub: ${line}\n`).join('')}`)
  await reporter.flush(true)
}
