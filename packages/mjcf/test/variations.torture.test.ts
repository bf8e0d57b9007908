// @module-tag full
/**
 * Real robots with one thing changed: the reader agrees with MuJoCo on each. Their assets are replaced by small ones,
 * which compile fast.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { randomFrom } from '@hub/testing/random'
import { noRobots, sharedDir } from '@hub/testing/shared'
import { afterAll, describe, expect, it } from 'vitest'
import { readModel } from '../src/read-model.ts'
import { obj, stl } from './asset-models.ts'
import { disagreements } from './disagreement.ts'
import { greyPng } from './generator/asset-bytes.ts'
import { memoryFiles } from './memory-files.ts'
import type { Judgement } from './oracle/judgement.ts'
import { openOracle } from './oracle/mujoco.ts'
import { type Files, VARIATIONS } from './variations.ts'

const shared = sharedDir()
const robots = shared === null ? null : join(shared, 'robots')
const STAND_INS: ReadonlyMap<string, string | Uint8Array> = new Map<string, string | Uint8Array>([
  ['stl', stl],
  ['obj', obj],
  ['png', greyPng(2, 2)],
])

const oracle = openOracle({ limitMs: 10_000 })
afterAll(() => oracle.close())

/** The files of a model, by paths in the folder of its robot. */
function standIns(robot: string, paths: readonly string[]): Files {
  const entries = paths.map((path): [string, string | Uint8Array] => {
    const standIn = STAND_INS.get(/\.(\w+)$/.exec(path)?.[1] ?? '')
    return [path, standIn ?? readFileSync(join(robots ?? '', robot, path), 'utf8')]
  })
  return Object.fromEntries(entries)
}

const expected: Record<string, { readonly compiles: boolean; readonly files: readonly string[] }> =
  robots === null ? {} : JSON.parse(readFileSync(join(robots, 'expected.json'), 'utf8'))
const models = Object.entries(expected).flatMap(([path, { compiles, files }]) => {
  const [robot = '', ...entry] = path.split('/')
  return compiles ? [{ path, files: standIns(robot, files), entry: entry.join('/') }] : []
})

describe('a real robot, varied:', needs(noRobots), () => {
  const verdicts = new Map<Judgement['verdict'], number>()

  it.each(Object.entries(VARIATIONS))('%s', async (_kind, vary) => {
    const failures: string[] = []
    let varied = 0
    for (const [at, { path, files, entry }] of models.entries()) {
      const made = vary(files, entry, randomFrom(at))
      if (!made) continue
      varied += 1
      const judgement = await oracle.judge(made)
      verdicts.set(judgement.verdict, (verdicts.get(judgement.verdict) ?? 0) + 1)
      const reading = await readModel(memoryFiles(made.files), made.entry)
      const lines = disagreements(reading, judgement)
      if (lines.length > 0) failures.push([path, ...lines].join('\n'))
    }
    expect(failures).toEqual([])
    expect(varied).toBeGreaterThan(0)
  })

  it('some are accepted and some rejected', () => {
    const { compiles = 0, refused = 0, none = 0 } = Object.fromEntries(verdicts)
    expect(Math.min(compiles, refused)).toBeGreaterThan((compiles + refused) / 5)
    expect(none).toBe(0)
  })
})
