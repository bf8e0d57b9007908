/**
 *     node scripts/prepare.ts [PART ...]    all parts, or some of `database`, `documents` and `pages`
 *
 * Runs after `npm ci`, and for parts that are of another version of the tree before a start: generates the Prisma client and then the TypeScript that follows from the graph, and builds the
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
const asked = process.argv.slice(2)
/** `scripts/prepared.js` says what each part is made of. */
const isAsked = (part: 'database' | 'documents' | 'pages') => asked.length === 0 || asked.includes(part)

function prismaCli(): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('prisma-cli/package.json')), 'build', 'index.js')
  } catch {
    return null
  }
}

function generateDatabaseClient(cli: string): void {
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
  if (status === 0) return
  process.stderr.write(`${stdout}${stderr}`)
  process.exit(status ?? 1)
}

/** What follows from the graph, which is loaded for it. */
async function writeDocuments(): Promise<void> {
  const { write } = await import('./codegen/files.ts')
  const { derived } = await import('./codegen/generated-files.ts')
  write(derived)
}

/** esbuild and Vite are development packages too. */
async function buildPages(): Promise<void> {
  const { buildScenePage } = await import('./scene-page.ts')
  await buildScenePage(join(root, 'generated'))
  const { copyRestPages } = await import('./rest-pages.ts')
  copyRestPages(join(root, 'generated/swagger-ui'))
  const { buildWebPages } = await import('./web-pages.ts')
  await buildWebPages(join(root, 'generated/web'))
  const { buildInstallFiles } = await import('./install-files.ts')
  await buildInstallFiles(join(root, 'generated/install'))
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
  if (isAsked('database')) generateDatabaseClient(cli)
  const { writeLists } = await import('./codegen/write-lists.ts')
  writeLists()
  if (isAsked('documents')) await writeDocuments()
  if (isAsked('pages')) await buildPages()
  const { buildStartBundle } = await import('./start-bundle.ts')
  await buildStartBundle()
}
