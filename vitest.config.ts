import { globSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { SkipReporter } from './test/support/skip-reporter.ts'
import { declares, tags } from './test/support/tags.ts'

const folders = '{test,packages/*/test}'
const alwaysTorture = `${folders}/**/*.torture.test.ts`
const isTorture = process.env.HUB_TEST_TORTURE !== undefined

/** Of these the ordinary run tries a sample. */
const sampledFiles = () => globSync(`${folders}/**/*.test.ts`).filter((file) => declares(file, 'sampled'))

/** The long ones first; all in the order of the time that they took in an earlier run, where there was one. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => declares(moduleId, 'long')
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    include: isTorture ? [alwaysTorture, ...sampledFiles()] : [`${folders}/**/*.test.ts`],
    exclude: isTorture ? [] : [alwaysTorture],
    tags: [...tags],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', new SkipReporter()],
    pool: 'forks',
    // Files of one worker share its modules and the hub of `contractHub()`: loading them again for each file took a fifth of the time.
    isolate: false,
    // Many tests wait for a timer, a process or the database: two cores take two more workers between their waits, and three where most wait.
    maxWorkers: isTorture ? 5 : 4,
    sequence: { sequencer: LongFirst },
    // Node loads the sources as it does in production, without a transformation by Vite: half the CPU of an import, and the same line numbers.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The young generation of `npm start`: most of what a test makes is garbage before it is copied once.
    execArgv: ['--max-semi-space-size=64'],
    // They end what hangs and say nothing of speed: a machine may be busy with other things.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000 } },
  },
})
