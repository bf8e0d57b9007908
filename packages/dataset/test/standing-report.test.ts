/** A report as it stands on a repo: bounded, and it says what it leaves out. */
import { expect, it } from 'vitest'
import { checkDataset } from '../src/check/check-dataset.ts'
import { standingReport } from '../src/check/standing-report.ts'
import { filesOf, madeDataset } from './support/made-dataset.ts'

const report = await checkDataset(
  filesOf(
    madeDataset(2, {
      rows: (episodes) => {
        const row = episodes[1]?.[12]
        if (row) row.state[1] = Number.NaN
      },
    }),
  ),
)

it('has all of a small one, with the joint of each finding', () => {
  const standing = standingReport(report)
  expect(standing).toMatchObject({ errors: 1, warnings: 0, omitted: [], episodes: 3, counts: { not_finite: 1 } })
  expect(standing.findings).toEqual([
    expect.objectContaining({ code: 'not_finite', episode: 1, frame: 12, joint: 'elbow' }),
  ])
  expect(standing.unchecked).toEqual([expect.stringMatching(/^pictures of videos \(3 of \w+\): .* not decoded$/)])
  expect(standing).not.toHaveProperty('videos')
  expect(Object.keys(standing.summary)).toEqual(['lengths', 'frames', 'tasks', 'joints'])
  expect(standing.summary.frames).toEqual(report.summary.frames)
  expect(report.summary.frames?.length).toBe(3)
})

it('keeps the first ones of each kind of a large one, and says so', () => {
  const [finding] = report.findings
  if (!finding) throw new Error('The data set has one fault.')
  const many = (code: 'jump' | 'stats' | 'length') =>
    Array.from({ length: 100 }, (_, episode) => ({ ...finding, code, episode, detail: 'x'.repeat(3000) }))
  const large = {
    ...report,
    findings: [...many('jump'), ...many('stats'), ...many('length')],
    counts: { jump: 100, stats: 4000, length: 100 },
    unchecked: Array.from({ length: 300 }, (_, at) => `column ${at}`),
    summary: { ...report.summary, moreTasks: 5 },
  }
  const standing = standingReport(large, 100_000)
  expect(JSON.stringify(standing).length).toBeLessThan(100_000)
  expect(standing).toMatchObject({ errors: 4100, warnings: 100, counts: large.counts })
  const kept = standing.findings.length
  for (const code of ['jump', 'stats', 'length'])
    expect(standing.findings.filter((one) => one.code === code).map(({ episode }) => episode)).toEqual(
      Array.from({ length: kept / 3 }, (_, at) => at),
    )
  expect(kept).toBeGreaterThan(0)
  expect(standing.omitted.map((text) => text.split(' are not')[0])).toEqual([
    `${4200 - kept} of 4200 findings`,
    '101 of 301 things that were not checked',
    '5 of 7 tasks',
  ])
})

it('has only text that the hub can keep', () => {
  const [finding] = report.findings
  const odd = { ...report, findings: [{ ...finding, detail: 'a\0b\ud800' }] } as typeof report
  expect(standingReport(odd).findings[0]?.detail).toBe('a\uFFFDb\uFFFD')
})
