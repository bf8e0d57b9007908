/** Builds that are skipped where a folder has the same one already. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The hash of what a folder was built of; not served. */
const MARK = '.inputs'

/** Has `build` fill `folder`, unless it is filled from the same files of the tree (patterns) already. */
export async function buildOnce(folder: string, inputs: readonly string[], build: () => Promise<void>): Promise<void> {
  const hash = hashOf(inputs)
  if (isBuilt(folder, hash)) return
  await build()
  writeFileSync(join(folder, MARK), hash)
}

function isBuilt(folder: string, hash: string): boolean {
  try {
    return readFileSync(join(folder, MARK), 'utf8') === hash
  } catch {
    return false
  }
}

function hashOf(inputs: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of inputs.flatMap((pattern) => globSync(pattern, { cwd: root })).sort())
    hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}
