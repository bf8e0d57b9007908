/** The end of a run's log names what the hub did not take. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { leaveBehind, logLeftBehind } from '../src/left-behind.ts'
import { runFiles } from '../src/run-files.ts'
import { newState } from '../src/run-journal.ts'
import type { Reporter } from '../src/send-report.ts'
import { openJournal } from '../src/worker/journal.ts'

let base: string
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-left-'))
})
afterEach(() => rm(base, { recursive: true, force: true }))

/** A run whose command has written `output`, and what was in the file at each report. */
async function lab(output: string) {
  const files = { ...runFiles(base, 'run_1', 1), output: join(base, 'output') }
  await writeFile(files.output, output)
  const journal = openJournal(join(base, 'journal'), newState({ runId: 'run_1', url: 'http://hub', attempt: 1 }))
  const reports: string[] = []
  const reporter: Reporter = {
    post: () => Promise.reject(new Error('Only the log is reported.')),
    async flush(isFinal) {
      expect(isFinal).toBe(true)
      reports.push(await readFile(files.output, 'utf8'))
      return null
    },
  }
  return { files, journal, reports, end: () => logLeftBehind(reporter, files, journal) }
}

it.each(['loss 0.1\n', 'loss 0.1'])('after the last line of the command, ended or not: %j', async (output) => {
  const { files, journal, reports, end } = await lab(output)
  leaveBehind(journal, 'step 10 was not published: quota.storage')
  leaveBehind(journal, 'step 10 was not published: quota.storage')
  await end()
  const said = `hub: step 10 was not published: quota.storage\nhub: The files are kept in ${files.dir} of the machine that ran it.\n`
  expect(reports).toEqual([`loss 0.1\n${said}`])
})

it('once, also by a runner that starts again before the run has ended', async () => {
  const { journal, reports, end } = await lab('')
  leaveBehind(journal, 'config.yaml skipped: refused')
  await end()
  await end()
  expect(reports).toHaveLength(1)
})

it('not at all where the hub has everything', async () => {
  const { reports, end } = await lab('loss 0.1\n')
  await end()
  expect(reports).toEqual([])
})

it('by twenty reasons at most', async () => {
  const { journal, reports, end } = await lab('')
  for (let step = 1; step <= 21; step += 1) leaveBehind(journal, `step ${step} was not published: refused`)
  await end()
  expect(reports[0]?.match(/was not published/g)).toHaveLength(20)
})
