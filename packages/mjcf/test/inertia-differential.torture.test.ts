/**
 * Inertia tensors as CAD programs export them, the reader against MuJoCo itself. No tensor that MuJoCo accepts is
 * rejected; one that it rejects passes only where rounding decides. HUB_TEST_SEED repeats a run, HUB_TEST_MODELS makes
 * a longer one.
 */

import { randomFrom } from '@hub/testing/random'
import { testSeed } from '@hub/testing/torture'
import { afterAll, expect, it } from 'vitest'
import { readModel } from '../src/read-model.ts'
import { eigenvalues } from '../src/rules/symmetric.ts'
import { modelWith, tensorOf, type WrittenTensor } from './generator/tensors.ts'
import { memoryFiles } from './memory-files.ts'
import { openOracle } from './oracle/mujoco.ts'

const seed = testSeed()
const models = Number(process.env.HUB_TEST_MODELS ?? 600)
const oracle = openOracle({ limitMs: 5_000 })
afterAll(() => oracle.close())

/** Whether the last digits of another machine, or of other axes, could decide. */
function isOnBorder(tensor: WrittenTensor): boolean {
  const values = eigenvalues(tensor.map(Number) as [number, number, number, number, number, number])
  const [a, b, c] = values.toSorted((one, other) => one - other) as [number, number, number]
  return Math.abs(a + b - c) <= 1e-12 * c || Math.abs(a) <= 2e-14 + 1e-12 * c
}

it(`judges ${models} inertia tensors as MuJoCo does (HUB_TEST_SEED=${seed})`, {
  timeout: 300_000,
}, async () => {
  const falseAlarms: string[] = []
  const missed: string[] = []
  const counts = { refused: 0, compiles: 0, none: 0, onBorder: 0 }
  for (let at = seed; at < seed + models; at += 1) {
    const random = randomFrom(at)
    const tensor = tensorOf(random)
    const text = modelWith(tensor, random)
    const { verdict } = await oracle.judge({ files: { 'main.xml': text }, entry: 'main.xml' })
    const { faults } = await readModel(memoryFiles({ 'main.xml': text }), 'main.xml')
    counts[verdict] += 1
    if (isOnBorder(tensor)) counts.onBorder += 1
    if (verdict === 'compiles' && faults.length > 0) falseAlarms.push(`${text}: ${faults[0]?.message}`)
    if (verdict === 'refused' && faults.length === 0 && !isOnBorder(tensor)) missed.push(text)
  }
  expect(falseAlarms.slice(0, 5)).toEqual([])
  expect(missed.slice(0, 5)).toEqual([])
  if (models < 100) return
  // A broken generator would agree on anything.
  expect(Math.min(counts.refused, counts.compiles, counts.onBorder)).toBeGreaterThan(models / 10)
  expect(counts.none).toBe(0)
})
