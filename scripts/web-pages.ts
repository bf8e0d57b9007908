/**
 * Builds the pages of `web/` into a folder, with compressed copies; nothing is done where the build there has the same
 * inputs.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildOnce } from './built-once.ts'
import { compressFiles } from './compress-files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** What the pages are made of: their own files, what they import of the hub, and the versions of packages. */
const inputs = [
  'web/**/*.{ts,tsx,css,html,svg,graphql}',
  'src/{robot-scene,physics,platform,check-worker}/**/*.ts',
  'packages/*/{package.json,src/**/*.ts}',
  'package-lock.json',
  'scripts/{web-pages,compress-files,built-once}.ts',
]
/** The GraphQL documents of the pages, for the hub, which trusts them in any case; not served. */
const DOCUMENTS = '.documents.json'
const COMPRESSED = join(root, 'generated/.compressed')

/** Builds into `folder`, in about 2 s; in 8 s the first time, when the robot viewer's engine is compressed. */
export async function buildWebPages(folder: string): Promise<void> {
  await buildOnce(folder, inputs, async () => {
    const { build } = await import('vite')
    await build({ configFile: join(root, 'web/vite.config.ts'), build: { outDir: folder } })
    await compressFiles(folder, COMPRESSED)
    writeFileSync(join(folder, DOCUMENTS), JSON.stringify(documentsOfPages()))
  })
}

/** Their texts, out of the modules that `npm run codegen` writes. */
function documentsOfPages(): string[] {
  const modules = globSync('web/src/**/*.graphql.ts', { cwd: root }).sort()
  return modules.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/= gql<[^>]*>\(`([^`]+)`\)/g)].map(([, text = '']) => text),
  )
}
