/**
 * A repo in the local cache of `huggingface_hub`: `datasets--OWNER--NAME` with `refs/`, `blobs/`, which have the name of
 * their digest, and `snapshots/COMMIT/`, whose files are links to them.
 */
import { constants } from 'node:fs'
import { copyFile, link, lstat, opendir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { landingOf, localPath } from '../landing.ts'
import { LocalError } from '../problem.ts'
import { byteFault } from './check-bytes.ts'
import type { Fetched, ImportSource, SourceDigest, SourceFile } from './source.ts'
import type { SourceName } from './source-name.ts'

export interface CacheOptions {
  readonly name: SourceName
  /** The folder with all repos. */
  readonly cache: string
  readonly signal: AbortSignal
}

/** The source has what was downloaded of the repo, which may be less than the repo has. */
export function cacheSource({ name, cache, signal }: CacheOptions): ImportSource {
  const root = join(cache, [`${name.type}s`, ...name.repo.split('/')].join('--'))
  const places = new Map<string, string>()

  async function commitOf(): Promise<string> {
    const written = await readFile(join(root, 'refs', ...name.revision.split('/')), 'utf8').catch(() => name.revision)
    const commit = written.trim()
    const folder = join(root, 'snapshots', commit)
    const isThere = /^[0-9a-f]{40}$/.test(commit) && (await stat(folder).catch(() => null))?.isDirectory()
    if (!isThere) throw new LocalError(`${name.text} is not in the cache ${cache}.`)
    return commit
  }

  async function files(commit: string): Promise<SourceFile[]> {
    const folder = join(root, 'snapshots', commit)
    const real = await realpath(root)
    const found: SourceFile[] = []
    for await (const entry of await opendir(folder, { recursive: true })) {
      const place = join(entry.parentPath, entry.name)
      if ((await lstat(place)).isDirectory()) continue
      const path = relative(folder, place).split(sep).join('/')
      const blob = await realpath(place).catch(() => '')
      // A cache of this user may have been made by another one.
      if (!blob.startsWith(`${real}${sep}`)) throw new LocalError(`${place} leads out of ${root}.`)
      const at = await stat(blob)
      if (!at.isFile()) throw new LocalError(`${place} is not a file.`)
      places.set(`${commit} ${path}`, blob)
      found.push({ path, size: at.size, digest: digestNamed(basename(blob)) })
    }
    return found
  }

  async function fetch(commit: string, { folder, file, progress, slot }: Fetched): Promise<void> {
    const blob = places.get(`${commit} ${file.path}`)
    if (blob === undefined) throw new LocalError(`${file.path} is not in ${root}.`)
    await landingOf(folder, file.path, commit)
    const target = localPath(folder, file.path)
    await slot(async () => {
      await rm(target, { force: true })
      // The same bytes twice would need the space twice; another file system has them copied.
      await link(blob, target).catch(() => copyFile(blob, target, constants.COPYFILE_FICLONE))
      const fault = await byteFault(target, file, signal)
      if (fault !== null) throw new LocalError(fault)
      progress.bytes(file.size)
    })
  }

  return {
    place: cache,
    states: async () => [{ commit: await commitOf(), message: null, tags: [] }],
    files,
    fetch,
  }
}

/** A blob has the name of its digest: of a large file the SHA-256, of a small one git's hash. */
function digestNamed(name: string): SourceDigest {
  if (/^[0-9a-f]{64}$/.test(name)) return { sha256: name }
  return /^[0-9a-f]{40}$/.test(name) ? { gitHash: name } : null
}
