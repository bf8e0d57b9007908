import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { SkipReporter } from './test/support/skip-reporter.ts'

const folders = '{test,packages/*/test}'
const alwaysTorture = `${folders}/**/*.torture.test.ts`
const isTorture = process.env.HUB_TEST_TORTURE !== undefined

/** Of these the ordinary run tries a sample. */
const sampledFiles = () =>
  globSync(`${folders}/**/*.test.ts`).filter((file) => readFileSync(file, 'utf8').includes('support/torture.ts'))

/** Each takes three quarters of a minute or more beside four others: begun last, one would run alone at the end. */
const long = [
  'folder-to-card',
  'killed-dispatch',
  'walk',
  'hostile',
  'package',
  'killed-backend',
  'policy-server-killed',
  'python',
  'killed',
  'differential',
  'model-reader',
  'anywhere',
  'check-robot',
  'robots-in-3d',
  'run-followers',
  'hostile-models',
]

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files)
    const first = long.flatMap((name) => others.filter(({ moduleId }) => moduleId.includes(`/${name}.`)))
    return [...first, ...others.filter((file) => !first.includes(file))]
  }
}

export default defineConfig({
  test: {
    include: isTorture ? [alwaysTorture, ...sampledFiles()] : [`${folders}/**/*.test.ts`],
    exclude: isTorture ? [] : [alwaysTorture],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', new SkipReporter()],
    pool: 'forks',
    // Files of one worker share its modules and the hub of `contractHub()`: loading them again for each file took a fifth of the time.
    isolate: false,
    // Many tests wait for a timer, a process or the database; two cores take a third worker between their waits, and two more where most wait.
    maxWorkers: isTorture ? 5 : 3,
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
