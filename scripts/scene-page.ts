/** The page that draws stills as one script for a browser, with three.js in it: no page of the hub loads code from elsewhere. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Writes `still-page.js` into a folder. */
export async function buildScenePage(folder: string): Promise<void> {
  await build({
    entryPoints: { 'still-page': `${root}src/robot-scene/still-page.ts` },
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'inline',
    logLevel: 'warning',
  })
}
