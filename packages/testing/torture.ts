/** What only `npm run test:torture` tries, and the seed of tests that make up their cases. */
import { createHash, randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, TestRunner } from 'vitest'
import type { Tag } from './tags.ts'

const root = join(import.meta.dirname, '../..')

/**
 * `HUB_TEST_SEED` repeats a run; `random` tries new cases. By default the seed is derived from the reader and its tests:
 * any change to them tries other cases, and a tree that passed passes again.
 */
export function testSeed(): number {
  const given = process.env.HUB_TEST_SEED
  if (given === 'random') return randomInt(2 ** 31)
  if (given) return Number(given)
  const hash = createHash('sha256')
  for (const file of globSync('packages/mjcf/{src,test}/**/*.ts', { cwd: root }).sort())
    hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest().readUInt32BE(0) % 2 ** 31
}

const setting = process.env.HUB_TEST_TORTURE

/** `rest` is what `npm test` leaves out, `npm run test:torture`; `full` is both, for one file by hand. */
export const isFull = setting === 'full'
export const isTorture = setting === 'rest' || isFull

const NEEDED: Tag = 'sampled'

/** The torture run has only the files that say that they leave something to it. */
function assertDeclared(): void {
  const { file } = TestRunner.getCurrentTest() ?? TestRunner.getCurrentSuite()
  if (!file.tags?.includes(NEEDED))
    throw new Error(`${file.name} leaves tests to the torture run without \`// @module-tag ${NEEDED}\`.`)
}

/**
 * One case in `every`, in their order, and other ones whenever the reader changes; the torture run tries the others, or
 * one in `ofOthers` of them where each takes a second of the processor.
 */
export function sampled<T>(cases: readonly T[], every: number, ofOthers = 1): readonly T[] {
  assertDeclared()
  // Two runs of random seeds would not complete each other.
  if (isFull || (isTorture && process.env.HUB_TEST_SEED === 'random')) return cases
  const first = testSeed() % every
  const others = cases.filter((_, index) => index % every !== first)
  return isTorture
    ? others.filter((_, index) => index % ofOthers === testSeed() % ofOthers)
    : cases.filter((_, index) => index % every === first)
}

/** For a file of the torture run alone: one case in `every`, as `sampled` chooses them; the full run tries all. */
export function oneIn<T>(every: number, cases: readonly T[]): readonly T[] {
  const first = testSeed() % every
  return isFull ? cases : cases.filter((_, index) => index % every === first)
}

/** A `describe` without anything random: what `npm test` has tried the torture run does not repeat. */
export function describeOnce(title: string, register: () => void): void {
  assertDeclared()
  if (setting !== 'rest') describe(title, register)
}

/** One such test, next to others of its `describe` that leave something to the torture run. */
export const itOnce: { (title: string, test: () => unknown): void; each: typeof it.each } =
  setting === 'rest' ? Object.assign(() => undefined, { each: () => () => undefined }) : it

/** How many made-up cases to try: more in the torture run, where `torture` may say how many, and most in the full one. */
export function sampleSize(full: number, sample: number, torture = full): number {
  assertDeclared()
  if (isFull) return full
  return isTorture ? torture : sample
}

/** Tests that kill processes, fill memory or take seconds of the processor: in the torture run alone. */
export function inTorture(register: () => void): void {
  assertDeclared()
  if (isTorture) register()
}

/** One such test, next to others of its `describe` that every run has. */
export function itInTorture(title: string, test: () => Promise<void>): void {
  inTorture(() => it(title, test))
}
