/** What a check came to, and the request that starts one. */
import { describe, expect, it } from 'vitest'
import { countsOf, resultOf, worstFirst } from '../../../web/src/pages/checks/check-result.ts'
import { checkRequest, modelFiles } from '../../../web/src/pages/checks/start-check-input.ts'

describe('the result of a check', () => {
  it.each([
    ['SUCCEEDED', 'FAIL', 'fails'],
    ['SUCCEEDED', 'WARN', 'passes with warnings'],
    ['SUCCEEDED', 'PASS', 'passes'],
    ['FAILED', 'FAIL', 'failed'],
    ['RUNNING', null, 'running'],
    ['SUCCEEDED', null, 'succeeded'],
  ])('of a job that %s with %s says that it %s', (status, grade, text) => {
    expect(resultOf({ status, report: grade === null ? null : { grade } }).text).toBe(text)
  })

  it('has what fails first, and keeps the order of the rest', () => {
    const rows = ['PASS 1', 'SKIP 2', 'FAIL 3', 'WARN 4', 'PASS 5', 'FAIL 6'].map((name) => ({
      status: name.slice(0, 4),
      name,
    }))
    expect(worstFirst(rows).map(({ name }) => name)).toEqual([
      'FAIL 3',
      'FAIL 6',
      'WARN 4',
      'SKIP 2',
      'PASS 1',
      'PASS 5',
    ])
    expect(countsOf(rows)).toBe('2 failed, 1 with a warning, 1 did not run, 2 passed.')
    expect(countsOf(rows.slice(0, 1))).toBe('1 passed.')
  })
})

describe('the form that starts a check', () => {
  it('offers what may be a model, the one of the card first, then nearest to the root', () => {
    const paths = ['README.md', 'a/deep/arm.xml', 'arm.URDF', 'arm.xml', 'meshes/a.stl', 'sim/scene.xml']
    expect(modelFiles(paths, null)).toEqual(['arm.URDF', 'arm.xml', 'sim/scene.xml', 'a/deep/arm.xml'])
    expect(modelFiles(paths, 'sim/scene.xml')[0]).toBe('sim/scene.xml')
    expect(modelFiles(paths, 'gone.xml')).not.toContain('gone.xml')
  })

  it('sends the base of a URDF alone, and leaves the place to the hub', () => {
    const form = (fields: Readonly<Record<string, string>>) => {
      const data = new FormData()
      for (const [name, value] of Object.entries(fields)) data.set(name, value)
      return data
    }
    const filled = { entry: ' arm.xml ', base: 'floating', controlHz: '62.5', action: 'TORQUE', where: '' }
    expect(checkRequest('ada/arm', form(filled))).toEqual({
      kind: 'ROBOT',
      robotRepo: 'ada/arm',
      entry: 'arm.xml',
      base: null,
      controlHz: 62.5,
      action: 'TORQUE',
      executor: null,
    })
    expect(checkRequest('ada/arm', form({ ...filled, entry: 'arm.urdf', where: 'WORKER' }))).toMatchObject({
      base: 'floating',
      executor: 'WORKER',
    })
  })
})
