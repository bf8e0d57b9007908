/** The package `hub`, for those who use a hub and do not run one. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, type Metafile, type Plugin } from 'esbuild'
import { optionalPackages } from '../../packages/cli/src/optional-packages.ts'
import { englishOnly } from './english-only.ts'
import { onNodeAlone } from './library.ts'
import { noDebugOutput } from './no-debug-output.ts'
import { inlineStillPage } from './still-page.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const client = `${root}packages/cli/`

/** A module that is started by its URL is a part of the one file, named in the URL's search (`packages/runner/src/worker/own-program.ts`). */
const partsOfOneFile: Plugin = {
  name: 'parts-of-one-file',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const contents = text.replaceAll(
        /new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g,
        "new URL('?part=$1', import.meta.url)",
      )
      return { contents, loader: 'ts' }
    })
  },
}

/** Writes the whole command as one file, which also runs where nothing else is installed. Returns what is in it. */
export async function bundleCommand(outfile: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [`${client}src/hub.ts`],
    outfile,
    // The bundle names its modules relative to this: the same bytes from any folder.
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    // Names stay: an error that a user reports should say where it was thrown.
    minifySyntax: true,
    minifyWhitespace: true,
    external: Object.keys(optionalPackages),
    ...onNodeAlone,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    plugins: [inlineStillPage, partsOfOneFile, englishOnly, noDebugOutput],
  })
  return metafile
}
