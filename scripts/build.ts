/**
 * `npm run build`: the hub as two files for an image, `dist/main.js` and `dist/hub.js`, with their data files.
 * Dependencies are not bundled: the image installs them with `npm ci --omit=dev`. Finally runs the built command on the
 * sample robot, so that a bundle that does not load, or does not find its modules, fails here.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import manifest from '../package.json' with { type: 'json' }
import { buildScenePage } from './scene-page.ts'
import { buildWebPages } from './web-pages.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = `${root}dist`

/**
 * Modules locate data by their own URL: in the bundle each keeps its URL from the source tree, relative to `dist/`. A
 * module that is loaded by URL (as a child process) is a separate JavaScript entry.
 */
const keepModuleUrls: Plugin = {
  name: 'keep-module-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const url = `new URL(${JSON.stringify(`./${relative(root, path)}`)}, import.meta.url).href`
      const named = text.replaceAll(/(new URL\('\.\/[\w/-]+)\.ts', import\.meta\.url\)/g, "$1.js', import.meta.url)")
      return { contents: named.replaceAll('import.meta.url', url), loader: 'ts' }
    })
  },
}

/**
 * Packages of this repository are bundled, and what they need is installed. What runs and is a development package is
 * bundled too: few use traces, whose packages weigh 18 MB and whose code 0.1.
 */
const manifests = globSync('packages/*/package.json', { cwd: root }).map((file) =>
  JSON.parse(readFileSync(`${root}${file}`, 'utf8')),
)
const own = new Set(manifests.map(({ name }) => name))
const installed = [manifest, ...manifests]
  .flatMap(({ dependencies = {} }) => Object.keys(dependencies))
  .filter((name) => !own.has(name))

rmSync(dist, { recursive: true, force: true })
await build({
  entryPoints: {
    main: `${root}src/main.ts`,
    hub: `${root}src/operator/hub.ts`,
    'packages/mjcf/src/processes/reading-child': `${root}packages/mjcf/src/processes/reading-child.ts`,
    'packages/check-worker/src/engine/engine-child': `${root}packages/check-worker/src/engine/engine-child.ts`,
    'packages/policy-server/src/model/model-thread': `${root}packages/policy-server/src/model/model-thread.ts`,
  },
  outdir: dist,
  bundle: true,
  splitting: true,
  external: installed.flatMap((name) => [name, `${name}/*`]),
  platform: 'node',
  format: 'esm',
  target: 'node22',
  sourcemap: true,
  logLevel: 'warning',
  plugins: [keepModuleUrls],
})
await buildScenePage(`${dist}/generated`)
await buildWebPages(`${dist}/generated/web`)
cpSync(`${root}prisma/migrations`, `${dist}/prisma/migrations`, { recursive: true })
cpSync(`${root}rest-compat`, `${dist}/rest-compat`, {
  recursive: true,
  filter: (path) => !path.includes('.') || path.endsWith('.graphql'),
})
const sample = ['model', `${root}examples/robot`, 'scene.xml']
const { status, stdout, stderr } = spawnSync(process.execPath, [`${dist}/hub.js`, ...sample], { encoding: 'utf8' })
if (status !== 0) {
  process.stderr.write(stdout + stderr)
  process.exit(1)
}
process.stdout.write('dist/main.js and dist/hub.js are built\n')
