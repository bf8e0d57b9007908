/** Each rule of MuJoCo's compiler, broken and kept: the reader must reject and accept as MuJoCo does. */
import { afterAll, describe, expect, it } from 'vitest'
import { readModel } from '../src/read-model.ts'
import { memoryFiles } from './memory-files.ts'
import { openOracle } from './oracle/mujoco.ts'
import { ACTUATOR_CASES } from './rules/actuator-cases.ts'
import { ASSET_CASES } from './rules/asset-cases.ts'
import { FLEX_CASES } from './rules/flex-cases.ts'
import { INERTIA_CASES } from './rules/inertia-cases.ts'
import { RELATION_CASES } from './rules/relation-cases.ts'
import { document, type RuleCase } from './rules/rule-case.ts'
import { SENSOR_CASES } from './rules/sensor-cases.ts'
import { TREE_CASES } from './rules/tree-cases.ts'

const oracle = openOracle({ limitMs: 10_000 })
afterAll(() => oracle.close())

const AREAS: Readonly<Record<string, readonly RuleCase[]>> = {
  'bodies and what is in them': TREE_CASES,
  inertia: INERTIA_CASES,
  'equalities, contacts and tendons': RELATION_CASES,
  actuators: ACTUATOR_CASES,
  sensors: SENSOR_CASES,
  flexes: FLEX_CASES,
  'assets, custom fields and keyframes': ASSET_CASES,
}

for (const [area, cases] of Object.entries(AREAS)) {
  describe(area, () => {
    it.each(cases)('$rule', async ({ refused, accepted }) => {
      for (const [wanted, models] of Object.entries({ refused, compiles: accepted })) {
        for (const inner of models) {
          const text = document(inner)
          const reading = await readModel(memoryFiles({ 'main.xml': text }), 'main.xml')
          const judgement = await oracle.judge({ files: { 'main.xml': text }, entry: 'main.xml' })
          expect(judgement.verdict, `MuJoCo on ${text}`).toBe(wanted)
          const ours = reading.faults.length + reading.missing.length > 0 ? 'refused' : 'compiles'
          expect(ours, `the reader on ${text}: ${JSON.stringify(reading.faults)}`).toBe(wanted)
          if (judgement.verdict === 'compiles') expect(reading.sizes, text).toEqual(judgement.compiled.sizes)
        }
      }
    })
  })
}
