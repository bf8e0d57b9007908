/** What the grammar check rejects and accepts beyond names and types; MuJoCo reads each case too. */

import { cpuWithin } from '@hub/testing/cpu'
import { describe, expect, it } from 'vitest'
import { asset, geom, model, world } from './grammar/documents.ts'
import { ELEMENT_CASES } from './grammar/element-cases.ts'
import { NUMBER_CASES } from './grammar/number-cases.ts'
import { grammarFaults, mujocoError, ofTheGrammar } from './grammar/quick-judge.ts'

describe.each([
  { area: 'numbers', rules: NUMBER_CASES },
  { area: 'elements', rules: ELEMENT_CASES },
])('the form of $area', ({ rules }) => {
  it.each(rules)('$rule', async ({ refused, accepted }) => {
    for (const [documents, wanted] of [
      [refused, true],
      [accepted, false],
    ] as const) {
      for (const document of documents) {
        const error = await mujocoError(document)
        expect(ofTheGrammar(error), `MuJoCo on ${document}: ${error || 'compiles'}`).toBe(wanted)
        const { faults } = grammarFaults(document)
        expect(faults.length > 0, `here on ${document}: ${JSON.stringify(faults)}`).toBe(wanted)
      }
    }
  })
})

describe('the grammar check', () => {
  const first = (document: string) => grammarFaults(document).faults[0]

  it('names the nearest attribute and element', () => {
    expect(first(geom('frictoin="1"'))?.hint).toBe('Did you mean "friction"?')
    expect(first(world('<bodi/>'))?.hint).toBe('Did you mean <body>?')
  })

  it('names the right place of a misplaced element', () => {
    expect(first(model('<inertial pos="0 0 0" mass="1"/>'))?.hint).toBe('It belongs in <body>.')
  })

  it('names the keywords that an attribute accepts', () => {
    expect(first(model('<compiler angle="deg"/>'))?.hint).toBe('It is one of: radian, degree.')
  })

  it('finds all faults of a document, each at its line', () => {
    const { faults } = grammarFaults(
      '<mujoco>\n<compiler angle="deg"/>\n<worldbody>\n<geom size="x"/>\n</worldbody>\n</mujoco>',
    )
    expect(faults.map(({ line, kind, names }) => ({ line, kind, names }))).toEqual([
      { line: 2, kind: 'value', names: ['angle'] },
      { line: 4, kind: 'value', names: ['size'] },
    ])
  })

  it('warns of what MuJoCo ignores inside a frame', () => {
    const { faults, warnings } = grammarFaults(world('<frame><geom size=".1" colour="red"/></frame>'))
    expect(faults).toEqual([])
    expect(warnings.map(({ message }) => message)).toEqual(['<geom> has no attribute "colour", and MuJoCo ignores it.'])
  })

  it('checks a hundred thousand numbers quickly, and elements at any depth', async () => {
    const vertices = new Array(300_000).fill('0.123456').join(' ')
    const checked = () => expect(grammarFaults(asset(`<mesh name="m" vertex="${vertices}"/>`)).faults).toEqual([])
    expect(await cpuWithin(2_000, checked)).toBeLessThan(2_000)
    expect(grammarFaults(world(`${'<body>'.repeat(400)}${'</body>'.repeat(400)}`)).faults).toEqual([])
  })
})
