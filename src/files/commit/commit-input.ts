/** The input of a commit, and the rules on it that need no database. */
import { assertNotJob } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, type Loc } from '../../platform/errors.ts'
import type { Sliced } from '../../platform/slices.ts'
import { findRepoToWrite, type RepoFacts } from '../../repos/get-repo.ts'
import { assertDistinct } from '../duplicates.ts'
import { MAX_COMMIT_FOLDER_CHARACTERS, MAX_COMMIT_FOLDERS, MAX_COMMIT_OPERATIONS, MAX_INLINE_FILES } from '../limits.ts'
import { noClashWithin } from '../path-clashes.ts'
import type { CommitFilesInput } from '../schemas.ts'

/** Where a path that the commit makes stands in the request. */
export interface Target {
  readonly path: string
  readonly loc: Loc
}

/** The paths that become files: those that are added, then those that are copied. */
export const targetsOf = ({ add, copy }: Pick<CommitFilesInput, 'add' | 'copy'>): Target[] => [
  ...(add ?? []).map(({ path }, index) => ({ path, loc: ['add', index, 'path'] })),
  ...(copy ?? []).map(({ path }, index) => ({ path, loc: ['copy', index, 'path'] })),
]

/** A path that gets these bytes. */
export interface Added {
  readonly path: string
  readonly sha256: string
  readonly size: number
}

/** A copy with its source. */
export interface Copied {
  readonly path: string
  readonly from: string
  /** Null for the state that the commit begins with. */
  readonly seq: number | null
}

export interface Committed {
  /** Of the state afterwards: that of the commit, or the one before if nothing differed. */
  readonly commitId: string
  readonly seq: number
  readonly added: number
  readonly changed: number
  readonly removed: number
}

/** A commit whose contents are sent and whose states are found. */
export interface CommitRequest {
  readonly repo: RepoFacts
  readonly input: CommitFilesInput
  readonly targets: ReturnType<typeof targetsOf>
  readonly added: readonly Added[]
  readonly copies: readonly Copied[]
}

/** The repo, for a caller who can make the commit. Errors: 401, 403 (a job's key that would delete files), 404. */
export async function mayCommit(ctx: RequestContext, input: CommitFilesInput): Promise<RepoFacts> {
  const repo = await findRepoToWrite(ctx, input)
  if (input.delete?.length) assertNotJob(ctx.viewer, 'delete files')
  return repo
}

/** Folders that are measured in one slice: some milliseconds, also where each of them has 512 above it. */
const FOLDERS_AT_ONCE = 1000

/**
 * 413 for too many operations or too deep paths, 422 for a path twice, 409 for paths that are a file and a folder. In
 * slices: of a hundred thousand paths with twenty segments each it takes a second.
 */
export function* checkOperations(input: CommitFilesInput, targets: readonly Target[]): Sliced<void> {
  const used = targets.length + (input.delete?.length ?? 0)
  if (used > MAX_COMMIT_OPERATIONS) {
    const detail = `The commit has ${used} operations; one has at most ${MAX_COMMIT_OPERATIONS}. Make several.`
    throw new HubError('too_large', detail, { facts: { limit: MAX_COMMIT_OPERATIONS, used } })
  }
  const folders = (input.delete ?? []).filter((path) => path.endsWith('/')).length
  if (folders > MAX_COMMIT_FOLDERS) {
    const detail = `The commit deletes ${folders} folders; one deletes at most ${MAX_COMMIT_FOLDERS}. Make several.`
    throw new HubError('too_large', detail, { facts: { limit: MAX_COMMIT_FOLDERS, used: folders } })
  }
  const inline = (input.add ?? []).filter(({ content }) => content != null).length
  if (inline > MAX_INLINE_FILES) {
    const detail = `The commit has ${inline} contents; one has at most ${MAX_INLINE_FILES}. Send the others ahead.`
    throw new HubError('too_large', detail, { facts: { limit: MAX_INLINE_FILES, used: inline } })
  }
  const paths = targets.map(({ path }) => path)
  yield* assertShallow(paths)
  assertDistinct(paths, 'path', (index) => targets[index]?.loc ?? [])
  yield
  assertDistinct(input.delete ?? [], 'path', (index) => ['delete', index])
  yield
  yield* noClashWithin(paths, placesOf(targets))
}

/** Files of one folder have their folders in common. */
function* assertShallow(paths: readonly string[]): Sliced<void> {
  const folders = new Set(paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))))
  yield
  let characters = 0
  let measured = 0
  for (const folder of folders) {
    if (++measured % FOLDERS_AT_ONCE === 0) yield
    characters += folder.length
    for (let at = folder.indexOf('/'); at >= 0; at = folder.indexOf('/', at + 1)) characters += at
    if (characters <= MAX_COMMIT_FOLDER_CHARACTERS) continue
    const detail =
      `The folders of the commit's files, each written out from the root, have more than ` +
      `${MAX_COMMIT_FOLDER_CHARACTERS} characters: the paths are too deep for one commit. Make several.`
    throw new HubError('too_large', detail, { facts: { limit: MAX_COMMIT_FOLDER_CHARACTERS, used: null } })
  }
}

/** The place of each path, for faults. */
export function placesOf(targets: readonly Target[]): (path: string) => Loc | null {
  const places = new Map(targets.map(({ path, loc }) => [path, loc]))
  return (path) => places.get(path) ?? null
}

/** 412 `precondition.failed` if the repo is at another commit than the caller knows. */
export function assertParent({ fullName }: RepoFacts, current: string, parentCommit: string | null | undefined): void {
  if (parentCommit == null || parentCommit === current) return
  const detail = `${fullName} is at the commit ${current}, not ${parentCommit}: it was changed meanwhile. Look at what changed, and commit again.`
  throw new HubError('precondition.failed', detail, {
    items: [{ type: 'precondition.failed', detail, loc: ['parentCommit'], commit_id: current }],
  })
}
