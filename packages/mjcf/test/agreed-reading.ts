/** The reader next to MuJoCo, on one model. */
import { expect } from 'vitest'
import { readModel } from '../src/read-model.ts'
import type { ModelReading } from '../src/reading.ts'
import { disagreements } from './disagreement.ts'
import { memoryFiles } from './memory-files.ts'
import type { Oracle } from './oracle/mujoco.ts'

export type Files = Record<string, string | Uint8Array>

/** The reading of a model, which must agree with MuJoCo; MuJoCo must have a verdict. */
export async function agreedReading(oracle: Oracle, files: Files, entry = 'main.xml'): Promise<ModelReading> {
  const [reading, judgement] = await Promise.all([readModel(memoryFiles(files), entry), oracle.judge({ files, entry })])
  expect(judgement.verdict).not.toBe('none')
  expect(disagreements(reading, judgement)).toEqual([])
  return reading
}
