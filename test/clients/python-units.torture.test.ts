// @module-tag long
/** The unit tests of the Python client, as `python3 -m unittest` runs them: the command of its README. */
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { expect, it, onTestFinished } from 'vitest'
import { noPython, pythonClientDir, runPython } from '../support/python.ts'

const modules = readdirSync(join(pythonClientDir, 'tests'))
  .filter((file) => /^test_.*\.py$/.test(file))
  .map((file) => file.slice(0, -3))

// One by one: all together they may need longer than a test may take on a busy machine.
for (const module of modules)
  it(`the Python client passes its unit tests: ${module}`, needs(noPython), async () => {
    // What pip starts keeps settings at home, which is not the folder of the sources.
    const home = await mkdtemp(join(tmpdir(), 'hub-python-home-'))
    onTestFinished(() => rm(home, { recursive: true, force: true }))
    const around = { cwd: pythonClientDir, env: { HOME: home } }
    const { code, err } = await runPython(['-m', 'unittest', '-q', `tests.${module}`], around)
    expect([code, err]).toEqual([0, expect.stringMatching(/^OK\b/m)])
  })
