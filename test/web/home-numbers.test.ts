/** The numbers of the first page. */
import { expect, it } from 'vitest'
import { lately } from '../../web/src/pages/home/lately.ts'
import { numbersOf } from '../../web/src/pages/home/numbers.ts'

const of = (count: number, isCapped = false) => ({ count, isCapped })
const none = {
  runs: { queued: of(0), running: of(0) },
  checks: { queued: of(0), running: of(0) },
  liveEndpoints: of(0),
  pendingHolds: of(0),
}

it('leave out what there is none of', () => {
  expect(numbersOf(none)).toEqual([])
})

it('begin with what waits for a person, and lead to the list that shows it', () => {
  const some = { ...none, runs: { queued: of(1000, true), running: of(1) }, liveEndpoints: of(2), pendingHolds: of(1) }
  expect(numbersOf(some)).toEqual([
    { list: 'holds', status: 'PENDING', text: '1 request to decide' },
    { list: 'runs', status: 'RUNNING', text: '1 run running' },
    { list: 'runs', status: 'QUEUED', text: 'more than 1000 runs queued' },
    { list: 'endpoints', status: null, text: '2 endpoints queued or running' },
  ])
})

it('tell of runs that failed in the last week, of the accounts of the person', () => {
  const now = Date.parse('2026-11-25T12:00:00Z')
  const run = (finishedAt: string | null, handle = 'ada') => ({ finishedAt, owner: { handle } })
  const fresh = run('2026-11-19T12:00:00Z')
  const runs = [fresh, run('2026-11-18T11:00:00Z'), run(null), run('2026-11-25T11:00:00Z', 'elsewhere')]
  expect(lately(runs, ['ada', 'lab'], now)).toEqual([fresh])
})
