/**
 * Runs after `npm ci`: builds the pages and the one that draws stills, and generates the Prisma client. No engine binary is downloaded: generating needs none, and Prisma accepts any existing
 * executable in its place. Without the development packages, the client must already have been generated.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

function prismaCli(): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('prisma/package.json')), 'build', 'index.js')
  } catch {
    return null
  }
}

const cli = prismaCli()
if (cli === null) {
  if (!existsSync(join(root, 'prisma/generated/client/client.ts'))) {
    process.stderr.write(
      'The Prisma client is not generated and the prisma package is not installed: run `npm ci` without --omit=dev once.\n',
    )
    process.exit(1)
  }
} else {
  const env = {
    ...process.env,
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
  // esbuild and Vite are development packages too.
  const { buildScenePage } = await import('./scene-page.ts')
  await buildScenePage(join(root, 'generated'))
  const { buildWebPages } = await import('./web-pages.ts')
  await buildWebPages(join(root, 'generated/web'))
}
