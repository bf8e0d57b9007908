/** What only `npm run test:torture` tries, and the seed of tests that make up their cases. */
import { createHash, randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * `HUB_TEST_SEED` repeats a run, or with `random` makes one that nobody has seen. Else the seed follows from the reader and its tests: any change to them tries
 * other cases, and a tree that passed passes again.
 */
export function testSeed(): number {
  const given = process.env.HUB_TEST_SEED
  if (given === 'random') return randomInt(2 ** 31)
  if (given) return Number(given)
  const hash = createHash('sha256')
  for (const file of globSync(['src/models/mjcf/**/*.ts', 'test/models/mjcf/**/*.ts'], { cwd: root }).sort())
    hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest().readUInt32BE(0) % 2 ** 31
}

/** `npm run test:torture` tries every made-up case; the ordinary run a sample, another one whenever the reader changes. */
const isTorture = process.env.HUB_TEST_TORTURE === 'full'

/** One case in `every`, in their order; all of them in the torture run. */
export function sampled<T>(cases: readonly T[], every: number): readonly T[] {
  const first = testSeed() % every
  return isTorture ? cases : cases.filter((_, index) => index % every === first)
}

/** How many made-up cases to try: all in the torture run. */
export function sampleSize(full: number, sample: number): number {
  return isTorture ? full : sample
}

/** Tests that kill processes, fill memory or take seconds of the processor: in the torture run alone. */
export function inTorture(register: () => void): void {
  if (isTorture) register()
}
