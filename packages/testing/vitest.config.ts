/** `npm test` of a package: its tests alone, without a database. */
import { defineConfig } from 'vitest/config'
import { testSettings } from './settings.ts'

export default defineConfig({
  test: { ...testSettings('test'), globalSetup: [`${import.meta.dirname}/run-folder.ts`] },
})
