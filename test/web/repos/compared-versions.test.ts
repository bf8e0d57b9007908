/** Which versions of a model a page compares first, and which of their results stand beside each other. */
import { describe, expect, it } from 'vitest'
import { pairedResults, verdictOf } from '../../../web/src/pages/repos/history/paired-results.ts'
import { versionsToCompare } from '../../../web/src/pages/repos/overview/versions-to-compare.ts'

const made = (commitId: string, displayName?: string) => ({ commitId, run: displayName ? { displayName } : null })
const commits = [
  { commitId: 'c3', seq: 3 },
  { commitId: 'c2', seq: 2 },
]

describe('the versions that are compared first', () => {
  it('are the last of two runs, whatever came between', () => {
    const pair = versionsToCompare({ made: [made('r2', 'Walk faster'), made('r1', 'Walk')], commits })
    expect(pair).toEqual({ from: 'r1', to: 'r2', runs: { from: 'Walk', to: 'Walk faster' } })
  })

  it('name no run where one of the two is hidden', () => {
    expect(versionsToCompare({ made: [made('r2', 'Walk faster'), made('r1')], commits })).toEqual({
      ...{ from: 'r1', to: 'r2', runs: null },
    })
  })

  it('are the last two with files where fewer than two runs are on record', () => {
    expect(versionsToCompare({ made: [made('c3', 'Walk')], commits })).toEqual({ from: 'c2', to: 'c3', runs: null })
    const first = [
      { commitId: 'c1', seq: 1 },
      { commitId: 'c0', seq: 0 },
    ]
    expect(versionsToCompare({ made: [], commits: first })).toBeNull()
    expect(versionsToCompare({ made: [], commits: [] })).toBeNull()
  })
})

const row = (id: string, robot: string, fingerprint: string, seeds: number) => ({
  ...{ id, robot, fingerprint, task: `task ${fingerprint}`, seeds },
})

describe('results of two versions', () => {
  it('are paired by robot and conditions, what both have first, by the most seeds and then the newest', () => {
    const from = [row('f3', 'a/arm', 'x', 50), row('f2', 'a/arm', 'x', 100), row('f1', 'a/arm', 'x', 100)]
    const to = [row('t3', 'a/leg', 'x', 10), row('t2', 'a/arm', 'y', 10), row('t1', 'a/arm', 'x', 20)]
    const pairs = pairedResults(from, to).map((pair) => [pair.robot, pair.task, pair.from?.id, pair.to?.id])
    expect(pairs).toEqual([
      ['a/arm', 'task x', 'f2', 't1'],
      ['a/arm', 'task y', undefined, 't2'],
      ['a/leg', 'task x', undefined, 't3'],
    ])
    expect(pairedResults([], [])).toEqual([])
  })

  it('differ only where their intervals do not touch', () => {
    const low = { lowest: 0.1, highest: 0.4 }
    const high = { lowest: 0.5, highest: 0.9 }
    expect([verdictOf(low, high), verdictOf(high, low)]).toEqual(['better', 'worse'])
    expect(verdictOf(low, { lowest: 0.4, highest: 0.9 })).toBe('open')
  })
})
