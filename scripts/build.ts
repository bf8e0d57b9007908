/**
 * `npm run build`: what an image runs, with its data files: the hub (`dist/main.js`), the operator's
 * command (`dist/hub.js`) and that of workers (`dist/worker.js`).
 * Large dependencies are not bundled: the image installs them with `npm ci --omit=dev`. Finally runs the built command on the
 * sample robot, so that a bundle that does not load, or does not find its modules, fails here.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { buildInstallFiles } from './install-files.ts'
import { onNodeAlone } from './pack/library.ts'
import { packageNamed } from './pack/packages.ts'
import { copyRestPages } from './rest-pages.ts'
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
 * What the server and the workers install beside `dist/`: the dependencies of each. All else is bundled: packages of
 * this repository, small ones that they need, and those of which a server uses a part of many. Of the 62 MB of the
 * client of Kubernetes it uses 2, of Prisma's 72 MB, which has a compiler for each of five databases, 5.
 */
const dependenciesOf = (file: string) => Object.keys(JSON.parse(readFileSync(`${root}${file}`, 'utf8')).dependencies)
const own = globSync('packages/*/package.json', { cwd: root }).map(
  (file) => JSON.parse(readFileSync(`${root}${file}`, 'utf8')).name as string,
)
const workers = ['check-worker', 'policy-server', 'robot-view', 'rollout'].map(
  (name) => `packages/${name}/package.json`,
)
const installed = new Set(['package.json', ...workers].flatMap(dependenciesOf).filter((name) => !own.includes(name)))

/** Leaves out what is installed: of a bundled package only what it shares with the server, in the same version. */
const installedApart: Plugin = {
  name: 'installed-apart',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./#]/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === installed || !installed.has(packageNamed(path))) return null
      const found = await resolve(path, { ...from, pluginData: installed })
      if (!found.path.startsWith(`${root}node_modules/${packageNamed(path)}/`)) return found
      return { path, external: true }
    })
  },
}

rmSync(dist, { recursive: true, force: true })
await build({
  entryPoints: {
    main: `${root}src/main.ts`,
    hub: `${root}src/operator/hub.ts`,
    worker: `${root}packages/cli/src/hub.ts`,
    'packages/mjcf/src/processes/reading-child': `${root}packages/mjcf/src/processes/reading-child.ts`,
    'packages/check-worker/src/engine/engine-child': `${root}packages/check-worker/src/engine/engine-child.ts`,
    'packages/rollout/src/processes/rollout-child': `${root}packages/rollout/src/processes/rollout-child.ts`,
    'packages/policy-server/src/model/model-thread': `${root}packages/policy-server/src/model/model-thread.ts`,
  },
  outdir: dist,
  bundle: true,
  splitting: true,
  banner: onNodeAlone.banner,
  // Of packages that have both, the module, of which only what is used stays.
  mainFields: ['module', 'main'],
  platform: 'node',
  format: 'esm',
  target: 'node22',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
  plugins: [installedApart, keepModuleUrls],
})
await buildScenePage(`${dist}/generated`)
copyRestPages(`${dist}/generated/swagger-ui`)
await buildWebPages(`${dist}/generated/web`)
await buildInstallFiles(`${dist}/generated/install`)
cpSync(`${root}prisma/migrations`, `${dist}/prisma/migrations`, { recursive: true })
for (const dialect of ['rest-compat', 'hf-compat'])
  cpSync(`${root}${dialect}`, `${dist}/${dialect}`, {
    recursive: true,
    filter: (path) => !path.includes('.') || path.endsWith('.graphql'),
  })
const sample = ['model', `${root}examples/robot`, 'scene.xml']
const { status, stdout, stderr } = spawnSync(process.execPath, [`${dist}/hub.js`, ...sample], { encoding: 'utf8' })
if (status !== 0) {
  process.stderr.write(stdout + stderr)
  process.exit(1)
}
process.stdout.write('dist/main.js, dist/hub.js and dist/worker.js are built\n')
