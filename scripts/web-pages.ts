/**
 * Builds the pages of `web/` into a folder, with compressed copies; nothing is done where the build there has the same
 * inputs.
 */
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compressFiles } from './compress-files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** What the pages are made of: their own files, what they import of the hub, and the versions of packages. */
const inputs = [
  'web/**/*.{ts,tsx,css,html,svg,graphql}',
  'src/{robot-scene,physics,platform,check-worker}/**/*.ts',
  'packages/*/{package.json,src/**/*.ts}',
  'package-lock.json',
  'scripts/{web-pages,compress-files}.ts',
]
const MARK = '.inputs'
/** The GraphQL documents of the pages, for the hub, which trusts them in any case; not served. */
const DOCUMENTS = '.documents.json'
const COMPRESSED = join(root, 'generated/.compressed')

/** Builds into `folder`, in about 2 s; in 8 s the first time, when the robot viewer's engine is compressed. */
export async function buildWebPages(folder: string): Promise<void> {
  const hash = hashOfInputs()
  if (isBuilt(folder, hash)) return
  const { build } = await import('vite')
  await build({ configFile: join(root, 'web/vite.config.ts'), build: { outDir: folder } })
  await compressFiles(folder, COMPRESSED)
  writeFileSync(join(folder, DOCUMENTS), JSON.stringify(documentsOfPages()))
  writeFileSync(join(folder, MARK), hash)
}

function isBuilt(folder: string, hash: string): boolean {
  try {
    return readFileSync(join(folder, MARK), 'utf8') === hash
  } catch {
    return false
  }
}

/** Their texts, out of the modules that `npm run codegen` writes. */
function documentsOfPages(): string[] {
  const modules = globSync('web/src/**/*.graphql.ts', { cwd: root }).sort()
  return modules.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/= gql<[^>]*>\(`([^`]+)`\)/g)].map(([, text = '']) => text),
  )
}

function hashOfInputs(): string {
  const hash = createHash('sha256')
  for (const file of inputs.flatMap((pattern) => globSync(pattern, { cwd: root })).sort())
    hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}
