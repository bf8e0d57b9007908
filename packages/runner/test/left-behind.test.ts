/** The last report of a run names what the hub did not take. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { errorToReport, leaveBehind } from '../src/left-behind.ts'
import { newState } from '../src/run-journal.ts'
import { openJournal } from '../src/worker/journal.ts'

const files = { dir: '/runs/run_1/1' }
const kept = 'The files are kept in /runs/run_1/1 of the machine that ran it.'

let base: string
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-left-'))
})
afterEach(() => rm(base, { recursive: true, force: true }))

const newJournal = () => openJournal(join(base, 'journal'), newState({ runId: 'run_1', url: 'http://hub', attempt: 1 }))

it('each thing once, with its first reason, and where the files are', () => {
  const journal = newJournal()
  for (const [step, why] of [
    [10, 'Full.'],
    [10, 'Full again.'],
    [20, 'Full.'],
  ] as const)
    leaveBehind(journal, `step ${step} was not published`, new Error(why))
  const lines = ['step 10 was not published: Full.', 'step 20 was not published: Full.', kept]
  expect(errorToReport(null, files, journal)).toBe(lines.join('\n'))
  expect(errorToReport('The command ended with exit code 1.', files, journal)).toBe(
    ['The command ended with exit code 1.', ...lines].join('\n'),
  )
  expect(journal.state.unsent).toBe(true)
})

it('nothing where the hub has everything', () => {
  expect(errorToReport(null, files, newJournal())).toBeNull()
  expect(errorToReport('It failed.', files, newJournal())).toBe('It failed.')
})

it('twenty things at most', () => {
  const journal = newJournal()
  for (let step = 1; step <= 21; step += 1) leaveBehind(journal, `step ${step} was not published`, new Error('refused'))
  expect(errorToReport(null, files, journal)?.match(/was not published/g)).toHaveLength(20)
})
