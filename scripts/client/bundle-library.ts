/** The client library of the package `hub`: `client.js` for Node and browsers, `folders.js` for Node, and what they share. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { englishOnly } from './english-only.ts'
import { noDebugOutput } from './no-debug-output.ts'

const entries = fileURLToPath(new URL('../../packages/client/src/', import.meta.url))

/** Writes them, readable: who uses them in a page has a bundler. */
export async function bundleLibrary(outdir: string): Promise<void> {
  await build({
    entryPoints: { client: `${entries}index.ts`, folders: `${entries}folders.ts` },
    outdir,
    chunkNames: 'shared-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    // Of packages that have both, the module, of which only what is used stays.
    mainFields: ['module', 'main'],
    format: 'esm',
    target: ['es2022', 'node20.19'],
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [englishOnly, noDebugOutput],
  })
}
