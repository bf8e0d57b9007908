/**
 * Vitest's runner, but for how a run that does not watch imports. Otherwise Vitest's main process is told of each
 * import of each file (5,000 of a hub alone), and a test file gets an address of its own each time, so that what Node
 * compiled of it (`NODE_COMPILE_CACHE`) is never found again.
 */
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { TestRunner } from 'vitest'

/** A run that watches needs both: it starts the tests of a changed file again. */
const isOneRun = process.env.VITEST_MODE === 'RUN'

// Of hooks the latest is asked first: where it answers, Vitest's is not asked.
if (isOneRun)
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL } = context
      if (parentURL === undefined || parentURL.includes('/node_modules/')) return nextResolve(specifier, context)
      if (specifier.startsWith('node:')) return { url: specifier, format: 'builtin', shortCircuit: true }
      // Of the tree, with its whole name: nothing is left to look up.
      if (/^\.\.?\/.*\.ts$/.test(specifier)) return { url: new URL(specifier, parentURL).href, shortCircuit: true }
      return nextResolve(specifier, context)
    },
  })

/** Imports a test file by its own address. */
export default class PlainImports extends TestRunner {
  override importFile(filepath: string, source: 'collect' | 'setup'): unknown {
    // Of the worker itself, which has read it, but set again for each file: processes that a test starts have the
    // memory that they have elsewhere.
    delete process.env.GLIBC_TUNABLES
    return isOneRun && source === 'collect' ? import(pathToFileURL(filepath).href) : super.importFile(filepath, source)
  }
}
