import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { defineConfig } from 'vitest/config'

// Node loads graphql's CommonJS build and Vite would take its ES build: two copies in one process, whose types are strangers to each other.
const graphql = createRequire(import.meta.url).resolve('graphql')

const alwaysTorture = 'test/**/*.torture.test.ts'
const isTorture = process.env.HUB_TEST_TORTURE === 'full'

/** Of these the ordinary run tries a sample. */
const sampledFiles = () =>
  globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes('support/torture.ts'))

export default defineConfig({
  resolve: { alias: [{ find: /^graphql$/, replacement: graphql }] },
  test: {
    include: isTorture ? [alwaysTorture, ...sampledFiles()] : ['test/**/*.test.ts'],
    exclude: isTorture ? [] : [alwaysTorture],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Files of one worker share its modules and the hub of `contractHub()`: loading them again for each file took a fifth of the time.
    isolate: false,
    // Many tests wait for a timer, a process or the database; two cores take a third worker between their waits.
    maxWorkers: 3,
    // They end what hangs and say nothing of speed: a machine may be busy with other things.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
