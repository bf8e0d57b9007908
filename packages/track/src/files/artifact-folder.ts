/** The files of a folder that becomes a version of an artifact. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'

export interface ArtifactFile {
  readonly file: string
  /** Its path in the folder, with `/`. */
  readonly name: string
}

/** Its regular files. A link could lead to any file of the machine. */
export async function filesOf(folder: string): Promise<ArtifactFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, name: relative(folder, file).split(sep).join('/').normalize('NFC') }))
}

/** A folder below `dir`, not `dir` itself, and not through a link. */
export async function isOwnFolder(dir: string, folder: string): Promise<boolean> {
  try {
    const below = relative(dir, folder)
    if (below === '' || below.split(sep)[0] === '..') return false
    return (await realpath(folder)) === join(await realpath(dir), below) && (await lstat(folder)).isDirectory()
  } catch {
    return false
  }
}

/** A digest of the names and bytes of files. */
export async function contentOf(files: readonly ArtifactFile[]): Promise<string> {
  const digests: { readonly name: string; readonly sha256: string }[] = []
  for (const { file, name } of files) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(file), hash)
    digests.push({ name, sha256: hash.digest('hex') })
  }
  return contentOfDigests(digests)
}

/** As `contentOf`, of digests that are known. */
export const contentOfDigests = (files: readonly { readonly name: string; readonly sha256: string | null }[]): string =>
  createHash('sha256')
    .update(
      files
        .map(({ name, sha256 }) => `${sha256} ${name}`)
        .sort()
        .join('\n'),
    )
    .digest('hex')
