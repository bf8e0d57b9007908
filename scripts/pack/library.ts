/**
 * A package of this repository as JavaScript: one file for each module that it exports, one for each that runs as a
 * process or thread, and what they share.
 */
import { readFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile, type Plugin } from 'esbuild'
import { englishOnly } from './english-only.ts'
import { noDebugOutput } from './no-debug-output.ts'
import { inlineStillPage } from './still-page.ts'

const packages = fileURLToPath(new URL('../../packages/', import.meta.url))

/** Packages that are installed beside the packed one: programs and engines, too large to be in it. */
const apart: readonly string[] = ['@mujoco/mujoco', 'onnxruntime-web', 'playwright-core', 'three']

/**
 * A source file of a package as the name of its file in `dist/`, which has no folders: chunks know where the others
 * are.
 */
export const builtName = (source: string): string =>
  relative(packages, source)
    .replace(/^[^/]+\/src\//, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', '.')

/**
 * For programs of Node 20: bundled CommonJS packages call `require`, which an ES module does not have, and our code a
 * few later APIs.
 */
export const onNodeAlone = {
  banner: { js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);" },
  inject: [fileURLToPath(new URL('./later-apis.ts', import.meta.url))],
}

/** Modules that are started by their URL: `found` has each, and the URL is that of its built file. */
const startedModules = (found: Set<string>): Plugin => ({
  name: 'started-modules',
  setup({ onLoad }) {
    onLoad({ filter: /\/packages\/[\w-]+\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const contents = text.replaceAll(/new URL\('(\.\/[\w/-]+\.ts)', import\.meta\.url\)/g, (_, module: string) => {
        const source = resolve(dirname(path), module)
        found.add(source)
        return `new URL('./${builtName(source)}.js', import.meta.url)`
      })
      return { contents, loader: 'ts' }
    })
  },
})

/**
 * Builds `sources` into a folder. `isProgram`: for Node alone. Returns the packages that must be installed beside it.
 */
export async function buildLibrary(sources: readonly string[], outdir: string, isProgram: boolean): Promise<string[]> {
  const started = new Set<string>()
  let { metafile } = await bundle(sources, outdir, isProgram, started)
  const others = [...started].filter((source) => !sources.includes(source))
  if (others.length > 0) ({ metafile } = await bundle([...sources, ...others], outdir, isProgram, started))
  return importedBy(metafile)
}

const bundle = (sources: readonly string[], outdir: string, isProgram: boolean, started: Set<string>) =>
  build({
    entryPoints: Object.fromEntries(sources.map((source) => [builtName(source), source])),
    outdir,
    chunkNames: 'shared-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    // Of packages that have both, the module, of which only what is used stays.
    mainFields: ['module', 'main'],
    format: 'esm',
    target: ['es2022', 'node20.19'],
    external: [...apart],
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    ...(isProgram ? onNodeAlone : {}),
    plugins: [inlineStillPage, startedModules(started), englishOnly, noDebugOutput],
  })

function importedBy({ outputs }: Metafile): string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports.filter(({ external }) => external))
  const names = imports.map(({ path }) => apart.find((name) => path === name || path.startsWith(`${name}/`)))
  return [...new Set(names.filter((name) => name !== undefined))].sort()
}
