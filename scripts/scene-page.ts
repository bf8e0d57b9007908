/**
 * The page that draws stills as one script for a browser, with three.js in it: no page of the hub loads code from
 * elsewhere.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The text of the script. */
export async function scenePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${root}packages/robot-view/src/scene/still-page.ts`],
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'inline',
    logLevel: 'warning',
  })
  return outputFiles[0]?.text ?? ''
}

/** Writes `still-page.js` into a folder. */
export async function buildScenePage(folder: string): Promise<void> {
  const text = await scenePage()
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/still-page.js`, text)
}
