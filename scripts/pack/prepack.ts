/** `prepack` of a package, in its folder: builds `dist/`, and makes package.json that of the packed package. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bundleCommand } from './bundle-command.ts'
import { commandManifest, commonManifest } from './command-manifest.ts'
import { declarationOf, writeDeclarations } from './declarations.ts'
import { buildLibrary, builtName } from './library.ts'
import { type Manifest, manifestIn, versionOf } from './packages.ts'
import { copyPythonSources } from './python-sources.ts'
import { restoreManifest, swapManifest } from './swap-manifest.ts'

/** They run on Node alone; the others may be bundled for a browser, and promise no API that Node 20 lacks. */
const workers = [
  '@hub/check-worker',
  '@hub/policy-server',
  '@hub/rollout',
  '@hub/runner',
  '@hub/tensorboard',
  '@hub/track',
]

const folder = process.cwd()
const dist = join(folder, 'dist')
restoreManifest(folder)
const manifest = manifestIn(folder)
rmSync(dist, { recursive: true, force: true })
swapManifest(folder, manifest.name === 'hub' ? await command() : await library())
const sizes = readdirSync(dist, { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name }) => `${name} ${Math.round(statSync(join(dist, name)).size / 1024)} KiB`)
// npm prints what it packs on standard output.
process.stderr.write(`${manifest.name}: ${sizes.join(', ')}\n`)

/** The command is one file, which also runs where nothing else is installed, and Python's part of `hub track`. */
async function command() {
  await bundleCommand(join(dist, 'hub.mjs'))
  await copyPythonSources(join(dist, 'python'))
  return commandManifest(manifest)
}

async function library() {
  const names = Object.keys(manifest.exports).filter((name) => name !== './package.json')
  const shipped = names.filter((name) => manifest.packed?.includes(name) ?? true)
  const sourceAt = (path = '') => join(folder, path)
  const sources = shipped.map((name) => sourceAt(manifest.exports[name]))
  const programs = Object.entries(manifest.bin ?? {})
  const entries = [...sources, ...programs.map(([, path]) => sourceAt(path))]
  const beside = await buildLibrary(entries, dist, workers.includes(manifest.name))
  const typed = writeDeclarations(sources, dist)
  const built = (path = '') => `./dist/${builtName(sourceAt(path))}.js`
  const exported = shipped.map((name) => {
    const path = manifest.exports[name]
    return [name, { types: `./dist/${declarationOf(sourceAt(path))}`, default: built(path) }]
  })
  const dependencies = Object.fromEntries(
    [...new Set([...beside, ...typed])].sort().map((name) => [name, versionOf(name)]),
  )
  return {
    ...commonManifest(manifest),
    ...(programs.length > 0
      ? { bin: Object.fromEntries(programs.map(([name, path]) => [name, built(path).slice(2)])) }
      : {}),
    exports: { ...Object.fromEntries(exported), './package.json': './package.json' },
    ...(Object.keys(dependencies).length > 0 ? { dependencies } : {}),
  } satisfies Omit<Manifest, 'packed' | 'exports'>
}
