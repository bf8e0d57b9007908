/** Which robots a page proposes for the joints that a map reads, and why. */
import { describe, expect, it } from 'vitest'
import { type KnownOfSource, proposedBodies } from '../../../web/src/pages/repos/maps/proposed-bodies.ts'

const nothing: KnownOfSource = {
  named: null,
  kind: 'DATASET',
  declared: null,
  fits: [],
  runs: [],
  checks: [],
  maps: [],
  alike: [],
}
const known = (change: Partial<KnownOfSource>) => ({ ...nothing, ...change })
const run = (displayName: string, fullName: string | null) => ({
  ...{ id: displayName, displayName, robotRepo: fullName === null ? null : { fullName } },
})

describe('robots with the joints of a source', () => {
  it('are none where nothing speaks for one', () => {
    expect(proposedBodies(nothing, 'lab/arm')).toEqual([])
    expect(proposedBodies(known({ named: { text: 'so100', isRepo: false } }), 'lab/arm')).toEqual([])
  })

  it('have each reason once, the robot that the repo names first', () => {
    const source = known({
      named: { text: 'Lab/So100', isRepo: true },
      fits: [
        { robot: 'lab/twin', verdict: 'AS_IS', mapVersion: null },
        { robot: 'lab/so100', verdict: 'AS_IS', mapVersion: null },
        { robot: 'lab/other', verdict: 'MAPPED', mapVersion: null },
        { robot: 'lab/mapped', verdict: 'AS_IS', mapVersion: 2 },
      ],
      runs: [run('Grasp', 'lab/twin'), run('Grasp', 'lab/twin'), run('Hidden', null)],
    })
    expect(proposedBodies(source, 'lab/arm')).toEqual([
      {
        robot: 'Lab/So100',
        isNamed: true,
        reasons: ['The data set names it as its robot.', 'Its joints, rate and action fit as they are.'],
      },
      {
        robot: 'lab/twin',
        isNamed: false,
        reasons: ['Its joints, rate and action fit as they are.', 'The run Grasp used both.'],
      },
    ])
  })

  it('say what a name, a check or another map hints at, and leave out the robot that the map leads to', () => {
    const source = known({
      kind: 'MODEL',
      named: { text: 'so100', isRepo: false },
      alike: ['lab/so100'],
      checks: [{ id: 'check_1', robotRepo: { fullName: 'lab/tried' } }],
      maps: [
        { robot: 'LAB/ARM', isCurrent: true, reviewedAt: null },
        { robot: 'lab/leg', isCurrent: true, reviewedAt: '2026-01-01' },
        { robot: 'lab/old', isCurrent: false, reviewedAt: null },
      ],
    })
    expect(proposedBodies(source, 'lab/arm').map(({ robot, reasons }) => [robot, reasons[0]])).toEqual([
      ['lab/tried', 'The check check_1 tried it on this robot.'],
      ['lab/so100', 'Its name or description has so100 in it, as the model does.'],
      ['lab/leg', 'A reviewed map leads to it too, so its joints may have other names.'],
    ])
  })

  it('begin with the one that meta/info.json declares', () => {
    const source = known({ declared: 'lab/so100', runs: [run('Grasp', 'lab/twin'), run('Grasp', 'lab/so100')] })
    expect(proposedBodies(source, 'lab/arm')).toEqual([
      {
        ...{ robot: 'lab/so100', isNamed: false },
        reasons: ['Its meta/info.json declares it.', 'The run Grasp used both.'],
      },
      { robot: 'lab/twin', isNamed: false, reasons: ['The run Grasp used both.'] },
    ])
  })

  it('are at most six: the field finds every other one', () => {
    const runs = Array.from({ length: 9 }, (_, at) => run(`r${at}`, `lab/r${at}`))
    expect(proposedBodies(known({ runs }), 'lab/arm')).toHaveLength(6)
  })
})
