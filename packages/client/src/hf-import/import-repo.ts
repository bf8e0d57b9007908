/**
 * Imports a repo: what the hub lacks is brought into a folder of the cache and checked there, then pushed as one
 * folder. Both halves go on where they were interrupted, and nothing is changed here before a state is whole.
 */
import { everything } from '../globs.ts'
import type { HubClient } from '../hub-client.ts'
import { assertSafeListing } from '../landing.ts'
import { leavingOut, nothingLeftOut } from '../left-out.ts'
import { failureLine, LocalError, ProblemError } from '../problem.ts'
import type { Progress } from '../progress.ts'
import { pushFolder } from '../push.ts'
import { readTree } from '../push-plan.ts'
import type { RemoteFile, RemoteRepo } from '../shapes.ts'
import type { RepoKind, Visibility } from '../v1.ts'
import type { ImportSource, SourceFile, SourceState } from './source.ts'
import type { ImportTarget, SourceName } from './source-name.ts'
import { dropOldStages } from './stage-folder.ts'
import { assertAllStaged, inStage, stage } from './staging.ts'

export interface ImportOptions {
  readonly name: SourceName
  readonly source: ImportSource
  readonly target: ImportTarget
  /** Folder of the transfer cache. */
  readonly cacheDir: string
  /** For a repo that the import makes. */
  readonly visibility: Visibility
  /** Whether files of the repo that the source lacks are deleted. */
  readonly deleteExtra: boolean
  readonly jobs: number
  readonly progress: Progress
}

export interface ImportReport {
  readonly repo: string
  readonly created: boolean
  readonly source: string
  /** That of the source. */
  readonly commit: string
  readonly files: number
  readonly fetched: number
  readonly fetchedBytes: number
  readonly deleted: readonly string[]
  /** Snapshots that the import made. */
  readonly tags: readonly string[]
  /** Tags that cannot be snapshots, with the reason. */
  readonly refusedTags: readonly { readonly tag: string; readonly why: string }[]
  /** Files of the source that no push sends. */
  readonly leftOut: readonly string[]
}

/** Characters of a message that a hub keeps. */
const MAX_MESSAGE = 500

/**
 * Rejects with `LocalError` for a source that is not there or sends other bytes than it lists, and as pushes do. What
 * is named by a tag already is not imported again.
 */
export async function importRepo(client: HubClient, options: ImportOptions): Promise<ImportReport> {
  const { name, source, target } = options
  const existing = await assertMayWrite(client, target, name)
  const states = await source.states()
  const head = states.at(-1)
  if (!head) throw new LocalError(`${name.text} has no commit.`)
  await dropOldStages(options.cacheDir)
  const importing: Importing = {
    client,
    options,
    made: existing ? await snapshotsOf(client, target) : new Set(),
    counts: { fetched: 0, fetchedBytes: 0 },
    deleted: [],
    tags: [],
    refusedTags: [],
    leftOut: new Set(),
    created: false,
    exists: existing !== null,
  }
  let files = 0
  for (const state of states) {
    const isDone = state !== head && state.tags.every((tag) => importing.made.has(tag))
    if (!isDone) files = await importState(importing, state)
  }
  const { counts, deleted, tags, refusedTags, created, leftOut } = importing
  return {
    repo: `${target.owner}/${target.slug}`,
    created,
    source: `${source.place} ${name.text}`,
    commit: head.commit,
    files,
    ...counts,
    deleted,
    tags,
    refusedTags,
    leftOut: [...leftOut].sort(),
  }
}

interface Importing {
  readonly client: HubClient
  readonly options: ImportOptions
  /** Snapshots that the repo has, without a prefix. */
  readonly made: Set<string>
  readonly counts: { fetched: number; fetchedBytes: number }
  readonly deleted: string[]
  readonly tags: string[]
  readonly refusedTags: { tag: string; why: string }[]
  readonly leftOut: Set<string>
  created: boolean
  exists: boolean
}

/** The repo if it is here. Rejects before anything is fetched where the caller may not write it, or make it. */
async function assertMayWrite(client: HubClient, target: ImportTarget, name: SourceName): Promise<RemoteRepo | null> {
  const fullName = `${target.owner}/${target.slug}`
  try {
    // A change of nothing needs the right to write.
    const found = await client.updateRepo(target, {})
    const isOfType = (found.kind === 'dataset') === (name.type === 'dataset')
    if (!isOfType) throw new LocalError(`${fullName} is a ${found.kind}, and ${name.text} is a ${name.type}.`)
    return found
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 404) throw error
  }
  const { account, orgs } = await client.me()
  if ([account, ...orgs].some(({ handle }) => handle === target.owner)) return null
  throw new LocalError(
    `You cannot make repos of ${target.owner}: name the repo that ${name.text} becomes, such as ${account.handle}/${target.hfName}, or be a member of an org ${target.owner}.`,
  )
}

async function snapshotsOf(client: HubClient, target: ImportTarget): Promise<Set<string>> {
  const names = new Set<string>()
  for await (const page of client.versions.snapshots(target))
    for (const { name } of page) names.add(name.replace(/^snapshot:/, ''))
  return names
}

/** Makes the repo what the source is in one state, and names it. Returns how many files that has. */
async function importState(importing: Importing, state: SourceState): Promise<number> {
  const { client, options } = importing
  const { source, target } = options
  const listed = await source.files(state.commit)
  assertSafeListing(listed)
  const files = listed.filter(({ path }) => !leavesOut(path))
  for (const { path } of listed) if (leavesOut(path)) importing.leftOut.add(path)
  const remote = importing.exists ? await readTree(client, target) : new Map<string, RemoteFile>()
  const wanted = files.filter((file) => !isSame(file, remote.get(file.path)))
  const push = await inStage(options, state, async (folder) => {
    await stage(importing, state, folder, wanted)
    await assertAllStaged(folder, wanted)
    await make(importing)
    return pushStaged(importing, state, folder, files)
  })
  importing.deleted.push(...push.deleted)
  for (const tag of state.tags) await nameState(importing, state, tag, push.commitId)
  return files.length
}

async function pushStaged(
  { client, options }: Importing,
  state: SourceState,
  folder: string,
  files: readonly SourceFile[],
) {
  const { target, progress } = options
  const pushed = await pushFolder(client, target, folder, {
    cacheDir: options.cacheDir,
    leaveOut: nothingLeftOut,
    message: Array.from(state.message ?? `Imported from ${options.name.text} at ${state.commit}`)
      .slice(0, MAX_MESSAGE)
      .join(''),
    deleteExtra: options.deleteExtra,
    // What the source has is never deleted here, whatever becomes of the folder meanwhile.
    keep: new Set(files.map(({ path }) => path)),
    jobs: options.jobs,
    progress,
  })
  const [failed] = pushed.failed
  if (failed) throw pushed.cause ?? new LocalError(`${failed.path}: ${failed.why}`)
  return pushed
}

const { leavesOut } = leavingOut({ filter: everything, ...nothingLeftOut })

const isSame = ({ size, digest }: SourceFile, there: RemoteFile | undefined) =>
  there !== undefined && digest !== null && 'sha256' in digest && there.size === size && there.sha256 === digest.sha256

async function make(importing: Importing): Promise<void> {
  if (importing.exists) return
  const { client, options } = importing
  const { target, name, visibility } = options
  const kind: RepoKind = name.type
  const { owner, hfName } = target
  try {
    await client.newRepo({ kind, owner, hf_name: hfName, visibility, description: `Imported from ${name.text}` })
    importing.created = true
  } catch (error) {
    // Another import has made it meanwhile.
    const isTaken = error instanceof ProblemError && error.status === 409
    if (!isTaken || !(await assertMayWrite(client, target, name))) throw error
  }
  importing.exists = true
}

/** Names the version that the push made: by now others may have changed the repo. */
async function nameState(
  { client, options, made, tags, refusedTags }: Importing,
  { commit }: SourceState,
  tag: string,
  at: string | null,
) {
  if (made.has(tag)) return
  try {
    const note = `${options.name.text} at ${commit}`
    await client.versions.createSnapshot(options.target, `snapshot:${tag}`, { note, ...(at !== null && { at }) })
    made.add(tag)
    tags.push(tag)
  } catch (error) {
    if (!(error instanceof ProblemError) || ![409, 422].includes(error.status)) throw error
    // Another import has made it meanwhile.
    if (error.status === 409) made.add(tag)
    else refusedTags.push({ tag, why: failureLine(error) })
  }
}
