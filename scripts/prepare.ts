/**
 * Runs after `npm ci`: generates the Prisma client and then the TypeScript that follows from the graph, and builds the
 * pages, the one that draws stills, what `/install` serves, and what a start imports. Of what is committed it writes nothing. No engine binary is downloaded:
 * generating needs none, and Prisma accepts any existing executable in its place. Without the development packages
 * nothing is generated, and `dist/` must be there.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

function prismaCli(): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('prisma-cli/package.json')), 'build', 'index.js')
  } catch {
    return null
  }
}

const cli = prismaCli()
if (cli === null) {
  // What a server runs without them is `dist/`, which has in it whatever is generated.
  if (!existsSync(join(root, 'dist/main.js'))) {
    process.stderr.write(
      'dist/main.js is not built, and a server runs nothing else without the development packages: run `npm ci && npm run build` once.\n',
    )
    process.exit(1)
  }
} else {
  const env = {
    ...process.env,
    // A generator of the hub's own is TypeScript, which the machine's Node may not run.
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
    NO_COLOR: '1',
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'generate'], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  if (status !== 0) {
    process.stderr.write(`${stdout}${stderr}`)
    process.exit(status ?? 1)
  }
  const { writeLists } = await import('./codegen/write-lists.ts')
  writeLists()
  const { write } = await import('./codegen/files.ts')
  const { derived } = await import('./codegen/generated-files.ts')
  write(derived)
  // esbuild and Vite are development packages too.
  const { buildScenePage } = await import('./scene-page.ts')
  await buildScenePage(join(root, 'generated'))
  const { copyRestPages } = await import('./rest-pages.ts')
  copyRestPages(join(root, 'generated/swagger-ui'))
  const { buildWebPages } = await import('./web-pages.ts')
  await buildWebPages(join(root, 'generated/web'))
  const { buildInstallFiles } = await import('./install-files.ts')
  await buildInstallFiles(join(root, 'generated/install'))
  const { buildStartBundle } = await import('./start-bundle.ts')
  await buildStartBundle()
}
