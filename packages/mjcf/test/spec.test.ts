/** Default classes, copies, keyframes and bases: a model after everything in it is expanded, as in MuJoCo. */

import { cpuWithin } from '@hub/testing/cpu'
import { afterAll, describe, expect, it } from 'vitest'
import { readModel } from '../src/read-model.ts'
import { BASE_CASES } from './compose/base-cases.ts'
import { CONFLICT_CASES } from './compose/conflict-cases.ts'
import { COPIES_CASES } from './compose/copies-cases.ts'
import { DEFAULTS_CASES } from './compose/defaults-cases.ts'
import { KEYS_CASES } from './compose/keys-cases.ts'
import type { SpecCase } from './compose/spec-case.ts'
import { disagreements } from './disagreement.ts'
import { memoryFiles } from './memory-files.ts'
import { openOracle } from './oracle/mujoco.ts'

const oracle = openOracle({ limitMs: 10_000 })
afterAll(() => oracle.close())

const AREAS: Readonly<Record<string, readonly SpecCase[]>> = {
  'default classes': DEFAULTS_CASES,
  'copies and their names': COPIES_CASES,
  'settings of the whole': CONFLICT_CASES,
  keyframes: KEYS_CASES,
  'bases, cables and flexcomps': BASE_CASES,
}

for (const [area, cases] of Object.entries(AREAS)) {
  describe(area, () => {
    it.each(cases)('$rule', async ({ main, files, joints, keyframes, base, bodies, actuators }) => {
      const all = { ...files, 'main.xml': `<mujoco>${main}</mujoco>` }
      const reading = await readModel(memoryFiles(all), 'main.xml')
      const judgement = await oracle.judge({ files: all, entry: 'main.xml' })
      expect(judgement.verdict).toBe(joints === null ? 'refused' : 'compiles')
      expect(disagreements(reading, judgement)).toEqual([])
      if (joints === null) {
        expect(reading.faults).not.toEqual([])
        return
      }
      expect(reading.joints.map(({ name, type }) => `${name ?? ''}:${type}`)).toEqual(joints)
      if (keyframes !== undefined) expect(reading.keyframes).toEqual(keyframes)
      if (base !== undefined) expect(reading.base).toBe(base)
      if (bodies !== undefined) expect(reading.names.bodies).toEqual(bodies)
      if (actuators !== undefined) expect(reading.names.actuators).toEqual(actuators)
    })
  })
}

const bombs = {
  'a million copies': '<replicate count="1000000"><geom size=".1"/></replicate>',
  'copies of nothing': '<replicate count="2000000000"></replicate>',
  'a thousand copies of a thousand copies of a thousand': `${'<replicate count="1000">'.repeat(3)}<geom size=".1"/>${'</replicate>'.repeat(3)}`,
  'bodies that each hold the one before twice': Array.from({ length: 40 }, (_, i) => {
    const copies = i === 0 ? '' : `<attach body="b${i - 1}" prefix="l"/><attach body="b${i - 1}" prefix="r"/>`
    return `<body name="b${i}"><geom size=".1"/>${copies}</body>`
  }).join(''),
  'a cable of a billion points':
    '<composite type="cable" curve="s" size="1" count="1000000000 1 1"><geom type="capsule" size=".1"/></composite>',
  'a flexcomp of a billion points':
    '<flexcomp name="f" type="grid" dim="3" count="1000 1000 1000" spacing=".1 .1 .1"/>',
}

describe('expansions over the cap', () => {
  it.each(Object.entries(bombs))('%s stop the reading at once', async (_, inner) => {
    const text = `<mujoco><worldbody>${inner}</worldbody></mujoco>`
    const read = () => readModel(memoryFiles({ 'main.xml': text }), 'main.xml')
    expect(await cpuWithin(2_000, read)).toBeLessThan(2_000)
    const reading = await read()
    expect(reading.faults.map(({ kind }) => kind)).toContain('limit')
    expect(reading.base).toBeNull()
  })
})
