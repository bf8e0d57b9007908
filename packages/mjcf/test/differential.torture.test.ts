// @module-tag long
/**
 * The reader against MuJoCo itself on made-up models: same verdict, and where it compiles the same model name, joints,
 * roots, base, keyframes, names, sizes and files. 250 models in the torture run, 500 in a full one and 40 otherwise, others
 * whenever the reader changes; HUB_TEST_SEED repeats a run, `random` makes another, HUB_TEST_MODELS a longer one.
 */

import { isFull, testSeed } from '@hub/testing/torture'
import { afterAll, expect, it } from 'vitest'
import { readModel } from '../src/read-model.ts'
import { disagreements } from './disagreement.ts'
import { modelOf } from './generator/model.ts'
import { memoryFiles } from './memory-files.ts'
import type { Judgement, OracleCase } from './oracle/judgement.ts'
import { openOracle } from './oracle/mujoco.ts'

const seed = testSeed()
const models = Number((process.env.HUB_TEST_MODELS ?? isFull) ? 500 : 150)

// A made-up model of a thousand bodies compiles in a tenth of a second here; what takes longer multiplies itself beyond
// any use.
const oracle = openOracle({ limitMs: 2_000 })
afterAll(() => oracle.close())

/** Keyframes get vectors of the lengths that the model has without them. */
async function judged(at: number): Promise<{ made: OracleCase; judgement: Judgement }> {
  const bare = modelOf(at)
  const first = await oracle.judge(bare)
  if (first.verdict !== 'compiles' || first.compiled.keyframes.length === 0) return { made: bare, judgement: first }
  const made = modelOf(at, first.compiled.sizes)
  return { made, judgement: await oracle.judge(made) }
}

function shown(at: number, { files, entry }: OracleCase, lines: readonly string[]): string {
  const texts = Object.entries(files).map(
    ([path, data]) =>
      `--- ${path}${path === entry ? ' (entry)' : ''}\n${typeof data === 'string' ? data : `${data.length} bytes`}`,
  )
  return [`HUB_TEST_SEED=${at} HUB_TEST_MODELS=1`, ...lines, ...texts].join('\n')
}

it(`reads ${models} generated models as MuJoCo does (HUB_TEST_SEED=${seed})`, { timeout: 300_000 }, async () => {
  console.log(`HUB_TEST_SEED=${seed}`)
  const failures: string[] = []
  const verdicts = { compiles: 0, refused: 0, none: 0 }
  for (let at = seed; at < seed + models; at++) {
    const { made, judgement } = await judged(at)
    verdicts[judgement.verdict]++
    const reading = await readModel(memoryFiles(made.files), made.entry)
    const lines = disagreements(reading, judgement)
    if (lines.length > 0) failures.push(shown(at, made, lines))
  }
  expect(failures.slice(0, 5).join('\n\n'), `${failures.length} of ${models} models`).toBe('')
  if (models < 100) return
  // A generator gone astray would agree on anything.
  expect(verdicts.compiles).toBeGreaterThan(models * 0.35)
  expect(verdicts.refused).toBeGreaterThan(models * 0.2)
  expect(verdicts.none).toBeLessThan(models * 0.06)
})

it('names the one file that a model lacks', async () => {
  const unnamed: string[] = []
  let lacking = 0
  for (let at = seed; at < seed + 100; at++) {
    const { made, judgement } = await judged(at)
    if (judgement.verdict !== 'compiles') continue
    const needed = judgement.compiled.files.filter((path) => path !== made.entry)
    const gone = needed[at % Math.max(needed.length, 1)]
    if (gone === undefined) continue
    lacking++
    const files = Object.fromEntries(Object.entries(made.files).filter(([path]) => path !== gone))
    const { missing } = await readModel(memoryFiles(files), made.entry)
    const named = missing.some(({ path, alternatives }) => path === gone || alternatives.includes(gone))
    if (!named) unnamed.push(shown(at, made, [`${gone} is not named, but ${JSON.stringify(missing)}`]))
  }
  expect(unnamed.slice(0, 3).join('\n\n'), `${unnamed.length} of ${lacking} models`).toBe('')
  expect(lacking).toBeGreaterThan(5)
})
