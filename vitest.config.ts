import { createRequire } from 'node:module'
import { defineConfig } from 'vitest/config'

// Node loads graphql's CommonJS build and Vite would take its ES build: two copies in one process, whose types are strangers to each other.
const graphql = createRequire(import.meta.url).resolve('graphql')

export default defineConfig({
  resolve: { alias: [{ find: /^graphql$/, replacement: graphql }] },
  test: {
    include: ['test/**/*.test.ts'],
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
