import { testSettings } from '@hub/testing/settings'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { ...testSettings('{test,packages/*/test}'), globalSetup: ['test/support/global-setup.ts'] },
})
