/** A folder of one version of a repo as one ZIP. Contract, "A folder as an archive". */
import type { Readable } from 'node:stream'
import { baseName } from '@hub/text/file-path'
import type { RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { strongEtag } from '../../platform/etag.ts'
import { currentCommitOf, findRepo, type RepoFacts } from '../../repos/get-repo.ts'
import { requireObjects } from '../../store/objects/required.ts'
import { MAX_ARCHIVE_FILES } from '../limits.ts'
import { asLostFile } from '../lost-file.ts'
import { findState, type RepoState } from '../versions/states.ts'
import { type FolderSum, filesOfFolder, folderPath } from './folder-files.ts'
import { stillReadable } from './still-readable.ts'
import { zipFiles, zipSize } from './zip-files.ts'

/** Raised when the same version would give other bytes. */
const FORMAT = 1

/** The date of a version that has none: the first that a ZIP can say. */
const NO_DATE = '1980-01-01T00:00:00Z'

interface ArchiveInput {
  readonly owner: string
  readonly repo: string
  /** '' for the whole repo; with or without a slash at its end. */
  readonly path: string
  /** The current version if absent. */
  readonly at?: string | null | undefined
}

interface FoundArchive {
  /** The same for the same bytes. */
  readonly etag: string
  /** Of the download, without `.zip`. */
  readonly name: string
  /** Lists its files. 404 the folder, 413 `too_large`. One statement. */
  readonly read: () => Promise<Archive>
}

interface Archive {
  readonly fileCount: number
  /** Bytes of the archive itself. */
  readonly sizeBytes: number
  readonly open: () => Readable
}

/** Why a folder has no archive, for a person; null if it has one. */
export function archiveFault(
  { deps: { config } }: Pick<RequestContext, 'deps'>,
  state: RepoState,
  folder: string,
  { count, totalBytes }: FolderSum,
): string | null {
  const pull = `\`hub pull ${state.fullName} DIR${folder === '' ? '' : ` --include '${folder}/**'`}\` has no limit.`
  const most = config.callers.archiveBytes
  if (most === 0) return `This hub does not offer archives. ${pull}`
  if (count > MAX_ARCHIVE_FILES)
    return `An archive has at most ${MAX_ARCHIVE_FILES} files; this folder has more. ${pull}`
  if (totalBytes <= most) return null
  return `An archive has at most ${most} bytes, and these files have ${totalBytes}. ${pull}`
}

/**
 * The archive of a folder. Its bytes depend on nothing but the version, the folder and the repo's name. Errors: 401,
 * 403, 404 the repo or the version, 422, 503. Three statements, two with `at`, before the one of `read`.
 */
export async function findArchive(ctx: RequestContext, input: ArchiveInput): Promise<FoundArchive> {
  const folder = folderPath(input.path, ['query', 'path'])
  const repo = await findRepo(ctx, { owner: input.owner, slug: input.repo })
  requireObjects(ctx.deps)
  // By its commit id: anyone who can read the repo may name it so.
  const at = input.at ?? (await currentCommitOf(ctx.deps.db, repo.id)) ?? String(repo.seq)
  const state = await findState(ctx, repo, at, ['query', 'at'])
  const name = folder === '' ? baseName(repo.fullName) : baseName(folder)
  return {
    etag: strongEtag(
      JSON.stringify([FORMAT, repo.id, name, folder, state.seq, state.commitId, state.withdrawnCount, state.time]),
    ),
    name,
    read: () => readArchive(ctx, { repo, state, folder, name }),
  }
}

interface Named {
  readonly repo: Pick<RepoFacts, 'id' | 'fullName'>
  readonly state: RepoState
  readonly folder: string
  readonly name: string
}

async function readArchive(ctx: RequestContext, { repo, state, folder, name }: Named): Promise<Archive> {
  const found = await filesOfFolder(ctx, state, folder)
  const totalBytes = found.reduce((sum, { size }) => sum + size, 0)
  assertWithin(ctx, state, folder, { count: found.length, totalBytes })
  const skipped = folder === '' ? 0 : folder.length + 1
  const files = found.map((file) => ({ ...file, name: `${name}/${file.path.slice(skipped)}` }))
  return {
    fileCount: files.length,
    sizeBytes: zipSize(files),
    open: () =>
      zipFiles(files, {
        objects: requireObjects(ctx.deps),
        time: new Date(state.time ?? NO_DATE),
        signal: ctx.signal,
        assertReadable: stillReadable(ctx, repo),
        failure: ({ name: path, storageKey }, error) => asLostFile(ctx.deps.db, { path, storageKey }, error),
      }),
  }
}

function assertWithin(ctx: RequestContext, state: RepoState, folder: string, sum: FolderSum): void {
  const detail = archiveFault(ctx, state, folder, sum)
  if (detail === null) return
  const isCount = sum.count > MAX_ARCHIVE_FILES
  const facts = isCount
    ? { unit: 'files', limit: MAX_ARCHIVE_FILES, used: null }
    : { unit: 'bytes', limit: ctx.deps.config.callers.archiveBytes, used: sum.totalBytes }
  throw new HubError('too_large', detail, { facts })
}
