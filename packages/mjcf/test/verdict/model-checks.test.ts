import { describe, expect, it } from 'vitest'
import { armReading } from '../../../robot-card/test/support/card.ts'
import type { FaultKind, ModelFault } from '../../src/fault.ts'
import type { ModelReading } from '../../src/reading.ts'
import { modelChecks, modelSummary } from '../../src/verdict/model-checks.ts'

const fault = (kind: FaultKind, change: Partial<ModelFault> = {}): ModelFault => ({
  kind,
  message: `A fault of ${kind}.`,
  file: 'arm.xml',
  line: 3,
  names: [kind],
  hint: null,
  ...change,
})
const lacks = (kind: string, path = `x.${kind}`) => ({ path, alternatives: ['y'], kind, file: 'arm.xml', line: 2 })
/** A part of the document that is not there leaves the rest of it unknown. */
const unread = 'part.xml is missing.'
const statuses = (reading: ModelReading | null) =>
  modelChecks(reading, reading ? reading.entry : null).map(({ status }) => status)

describe('the checks of a model', () => {
  it.each([
    ['no model is named', null, ['skip', 'skip', 'skip', 'skip']],
    ['nothing is wrong', armReading(), ['pass', 'pass', 'pass', 'pass']],
    ['the entry is absent', armReading({ files: [], faults: [fault('entry')] }), ['fail', 'skip', 'skip', 'skip']],
    [
      'the entry is there and empty',
      armReading({ files: ['arm.xml'], faults: [fault('entry')], unread }),
      ['pass', 'fail', 'skip', 'skip'],
    ],
    ['the XML is not well-formed', armReading({ faults: [fault('xml')], unread }), ['pass', 'fail', 'skip', 'skip']],
    ['an attribute is unknown', armReading({ faults: [fault('schema')] }), ['pass', 'fail', 'pass', 'pass']],
    ['a name is unknown', armReading({ faults: [fault('reference')] }), ['pass', 'fail', 'pass', 'pass']],
    ['a mesh is missing', armReading({ missing: [lacks('mesh')] }), ['pass', 'pass', 'fail', 'pass']],
    ['an include is missing', armReading({ missing: [lacks('include')], unread }), ['pass', 'skip', 'fail', 'skip']],
    [
      'an include is missing, and a name with it',
      armReading({ missing: [lacks('include')], faults: [fault('reference')], unread }),
      ['pass', 'skip', 'fail', 'skip'],
    ],
    [
      'an include is missing, and a value is wrong',
      armReading({ missing: [lacks('include')], faults: [fault('value')], unread }),
      ['pass', 'fail', 'fail', 'skip'],
    ],
    [
      'an include lies outside the repo',
      armReading({ faults: [fault('path')], unread }),
      ['pass', 'skip', 'fail', 'skip'],
    ],
    ['a mesh lies outside the repo', armReading({ faults: [fault('path')] }), ['pass', 'pass', 'fail', 'pass']],
    [
      'a mesh of a URDF lies elsewhere',
      armReading({ format: 'urdf', faults: [fault('path')] }),
      ['pass', 'pass', 'fail', 'pass'],
    ],
    ['a mesh is empty', armReading({ faults: [fault('asset')] }), ['pass', 'pass', 'pass', 'fail']],
    ['it is over a cap', armReading({ faults: [fault('limit')] }), ['pass', 'fail', 'skip', 'skip']],
    [
      'what it needs cannot be decided',
      armReading({ undecided: [{ about: 'assets', reason: 'A plugin.' }] }),
      ['pass', 'pass', 'skip', 'pass'],
    ],
    [
      'it needs a plugin',
      armReading({ undecided: [{ about: 'model', reason: 'A plugin.' }], warnings: [fault('include')] }),
      ['pass', 'skip', 'pass', 'pass'],
    ],
    [
      'it needs a plugin and is refused for something else',
      armReading({ undecided: [{ about: 'model', reason: 'A plugin.' }], faults: [fault('compile')] }),
      ['pass', 'fail', 'pass', 'pass'],
    ],
    ['an include is repeated', armReading({ warnings: [fault('include')] }), ['pass', 'warn', 'pass', 'pass']],
    [
      'its files depend on how it is loaded',
      armReading({ warnings: [fault('asset')] }),
      ['pass', 'pass', 'warn', 'pass'],
    ],
  ])('when %s', (_when, reading, expected) => {
    expect(statuses(reading)).toEqual(expected)
  })

  it('fail at least once for every model that MuJoCo refuses, whatever else is wrong with it', () => {
    const kinds = [
      'entry',
      'xml',
      'include',
      'schema',
      'value',
      'reference',
      'name',
      'compile',
      'limit',
      'path',
      'asset',
    ] as const
    const missing = [[], [lacks('mesh')], [lacks('include')], [lacks('model')]]
    for (const one of kinds) {
      for (const other of kinds) {
        for (const lacking of missing) {
          // Whatever kept a part from being read is a fault itself, or a file that is missing.
          const cut = ['entry', 'xml', 'include', 'path'].includes(one) || lacking.length > 0 ? [{ unread }] : []
          for (const change of [{}, ...cut]) {
            const reading = armReading({ faults: [fault(one), fault(other)], missing: lacking, ...change })
            expect([one, other, statuses(reading)]).toEqual([one, other, expect.arrayContaining(['fail'])])
          }
        }
      }
    }
  })

  it('name every missing file, each with where it is asked for', () => {
    const [, , closure] = modelChecks(
      armReading({ missing: [lacks('mesh', 'a.stl'), lacks('texture', 'b.png'), lacks('mesh', 'a.stl')] }),
      'arm.xml',
    )
    expect(closure?.names).toEqual(['a.stl', 'b.png'])
    expect(closure?.message).toContain('arm.xml:2: the mesh a.stl (nor y) is not in the repo.')
    expect(closure?.data).toMatchObject({ missing: 3, faults: [{ names: ['a.stl'] }, { names: ['b.png'] }, {}] })
  })

  it('tell all faults of a model, the first in front', () => {
    const [, parses] = modelChecks(
      armReading({ faults: [fault('value'), fault('schema', { hint: 'Mend it.' })] }),
      'arm.xml',
    )
    expect(parses).toMatchObject({
      message: 'arm.xml:3: A fault of value. And 1 more.',
      names: ['value', 'schema'],
      hint: 'Mend it.',
      loc: ['mjcf_path'],
    })
    expect(parses?.data?.faults).toHaveLength(2)
  })
})

describe('the summary of a model', () => {
  it('has its named hinges and slides, and its named keyframes', () => {
    expect(modelSummary(armReading())).toEqual({
      model: 'arm',
      base: 'fixed',
      joints: ['shoulder', 'elbow'],
      files: ['arm.xml', 'meshes/hand.stl'],
      keyframes: ['home'],
    })
  })

  it.each([
    ['a fault', { faults: [fault('value')] }],
    ['a mesh outside of the repo', { faults: [fault('path')] }],
    ['a missing include', { missing: [lacks('include')], unread: 'b.xml is missing.' }],
    ['a missing mesh and a fault', { missing: [lacks('mesh')], faults: [fault('value')] }],
  ])('of one that MuJoCo refuses for %s has no base, joints or keyframes', (_what, change) => {
    expect(modelSummary(armReading(change))).toMatchObject({ model: 'arm', base: null, joints: [], keyframes: [] })
  })

  it('of one that lacks a mesh alone has what was read, since an interface is held against that', () => {
    const lacking = armReading({ missing: [lacks('mesh')], base: null })
    expect(modelSummary(lacking)).toMatchObject({ base: 'fixed', joints: ['shoulder', 'elbow'], keyframes: ['home'] })
    const floating = armReading({ missing: [lacks('mesh')], base: null, roots: [{ name: 'arm', floating: true }] })
    expect(modelSummary(floating).base).toBe('floating')
    const open = [{ about: 'joints', reason: 'Its points are in a file.' }] as const
    expect(modelSummary(armReading({ missing: [lacks('mesh')], base: null, undecided: open })).base).toBeNull()
  })
})
