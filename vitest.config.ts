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
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
