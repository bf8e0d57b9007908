/** The folder of a test run of one package, deleted with its content when the run ends. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** As `test/support/global-setup.ts` does for all tests, without the database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runDir = await mkdtemp(join(tmpdir(), 'hub-test-'))
  project.provide('runDir', runDir)
  return () => rm(runDir, { recursive: true, force: true })
}
