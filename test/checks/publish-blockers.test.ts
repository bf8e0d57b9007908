import { describe, expect, it } from 'vitest'
import { type PublishFacts, publishBlockers } from '../../src/checks/publish-blockers.ts'
import { errorTable } from '../../src/platform/errors.ts'

const ready: PublishFacts = {
  status: 'succeeded',
  published: false,
  reportOk: true,
  blockingFields: [],
  robotGone: false,
  kind: 'robot',
  modelGone: false,
  hasCard: true,
  changedFiles: [],
}

const reasons: readonly (readonly [string, Partial<PublishFacts>, string])[] = [
  ['a report that failed', { reportOk: false }, 'conflict.report_failed'],
  ['no report', { reportOk: null }, 'conflict.report_failed'],
  ['a blocking question', { blockingFields: ['base'] }, 'conflict.needs_answers'],
  ['no card', { hasCard: false }, 'conflict.card_missing'],
  ['a file that changed', { changedFiles: ['arm.xml'] }, 'conflict.source_changed'],
  ['a robot repo that is gone', { robotGone: true }, 'conflict.repo_gone'],
]
const typesOf = (check: PublishFacts) => publishBlockers(check).map(({ type }) => type)

describe('what stands in the way of publishing', () => {
  it('is nothing for a check that succeeded with a good report, a card and unchanged files', () => {
    expect(publishBlockers(ready)).toEqual([])
  })

  it.each(['queued', 'running', 'failed', 'canceled'] as const)('is its state alone while it is %s', (status) => {
    expect(typesOf({ ...ready, status, reportOk: false })).toEqual(['conflict.not_succeeded'])
  })

  it('is that it was published, whatever changed since', () => {
    expect(typesOf({ ...ready, published: true, changedFiles: ['arm.xml'] })).toEqual(['conflict.already_published'])
  })

  it.each(reasons)('is %s', (_what, change, type) => {
    const [blocker, ...more] = publishBlockers({ ...ready, ...change })
    expect([blocker?.type, more]).toEqual([type, []])
    expect(errorTable[blocker?.type ?? 'internal'].status).toBe(409)
  })

  it('is both of any two reasons that do not hide each other', () => {
    for (const [, one, type] of reasons)
      for (const [, other, otherType] of reasons) {
        const merged = { ...ready, ...one, ...other }
        if (Object.keys(one)[0] === Object.keys(other)[0] || (merged.robotGone && merged.changedFiles.length > 0))
          continue
        expect(typesOf(merged).toSorted()).toEqual([type, otherType].toSorted())
      }
  })

  it('names the fields and the files', () => {
    const said = publishBlockers({ ...ready, blockingFields: ['base', 'action'], changedFiles: ['a.xml'] })
    expect(said.map(({ detail }) => detail).join(' ')).toMatch(/base, action.*"a\.xml"/)
  })

  it('is a model repo that is gone, and not the files that went with it', () => {
    const gone: PublishFacts = { ...ready, kind: 'model', hasCard: false, modelGone: true, changedFiles: ['a.onnx'] }
    expect(typesOf(gone)).toEqual(['conflict.repo_gone'])
    expect(typesOf({ ...gone, modelGone: false, robotGone: true })).toEqual([
      'conflict.repo_gone',
      'conflict.source_changed',
    ])
  })

  it('is no card for a model check, which has none', () => {
    expect(publishBlockers({ ...ready, kind: 'model', hasCard: false })).toEqual([])
  })
})
