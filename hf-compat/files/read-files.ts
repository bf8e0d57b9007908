/** Files of a state: pages of the tree, one folder, all of them, and what is at some paths. */
import { HubError } from '../../src/platform/errors.ts'
import type { Call } from '../engine/call.ts'
import type { FoundRepo } from '../repos/find-repo.ts'
import type { HfFile } from './render-file.ts'

/** The largest page of the graph. */
const FILES_PER_PAGE = 1000

/** Pages of the graph that one page of a folder may take: each folder in it is one more. */
const MAX_READS = 50

export interface FilePage {
  readonly items: readonly HfFile[]
  readonly nextCursor: string | null
}

interface Range {
  readonly limit?: number
  readonly prefix?: string
  readonly startAt?: string | null
  readonly cursor?: string | null
}

/** A page of the files whose paths begin with `prefix`, in byte order. */
export async function readFiles(
  call: Call,
  { owner, slug, commitId: commit }: FoundRepo,
  { prefix = '', startAt = null, cursor = null, limit = FILES_PER_PAGE }: Range,
): Promise<FilePage> {
  const page = await call.ask('hf-files', { owner, slug, commit, prefix, startAt, limit, cursor })
  const { hasNextPage = false, endCursor = null } = page?.pageInfo ?? {}
  return { items: page?.items ?? [], nextCursor: hasNextPage ? endCursor : null }
}

/**
 * Pages of `siblings`. Clients ask for the tree where a repo has more than 50,000 of them; all files of a repo of
 * millions would be an answer of hundreds of megabytes.
 */
const MAX_SIBLING_PAGES = 51

/** The files of a state, of 51,000 and more the first 51,000. */
export async function readSiblings(call: Call, repo: FoundRepo): Promise<HfFile[]> {
  const files: HfFile[] = []
  let cursor: string | null = null
  for (let read = 0; read < MAX_SIBLING_PAGES; read += 1) {
    const page: FilePage = await readFiles(call, repo, { cursor })
    files.push(...page.items)
    cursor = page.nextCursor
    if (cursor === null) break
  }
  return files
}

/** What a list tells of a repo. */
interface ListedRepo {
  readonly owner: { readonly handle: string }
  readonly slug: string
  readonly commit_id: string
  readonly file_summary: { readonly count: number }
}

/** How many `siblings` a repo has in a list: one page of the graph at most. */
export const listedCount = ({ file_summary: { count } }: ListedRepo): number => Math.min(count, FILES_PER_PAGE)

/** They; null of a repo that is gone since it was listed. */
export async function readListedFiles(call: Call, repo: ListedRepo): Promise<readonly HfFile[] | null> {
  const limit = listedCount(repo)
  if (limit === 0) return []
  const { owner, slug, commit_id: commit } = repo
  const range = { prefix: '', startAt: null, cursor: null, limit }
  const page = await call.ask('hf-files', { owner: owner.handle, slug, commit, ...range }).catch((error: unknown) => {
    if (error instanceof HubError && error.status === 404) return null
    throw error
  })
  return page?.items ?? null
}

/** A file, or the path of a folder. */
export type Entry = HfFile | string

export interface FolderPage {
  readonly entries: readonly Entry[]
  /** Where the next page starts; null if there is none. */
  readonly next: string | null
}

/**
 * The files and folders directly below `prefix`, from `startAt` on. What is in a folder is passed over: a folder costs
 * one read, however many files it has.
 */
export async function readFolder(
  call: Call,
  repo: FoundRepo,
  { prefix, startAt, limit = FILES_PER_PAGE }: Pick<Range, 'limit'> & { prefix: string; startAt: string | null },
): Promise<FolderPage> {
  const entries: Entry[] = []
  let next = startAt
  for (let read = 0; read < MAX_READS && entries.length < limit; read += 1) {
    const { items, nextCursor } = await readFiles(call, repo, { prefix, startAt: next, limit })
    let folder: string | null = null
    for (const file of items) {
      if (folder !== null && file.path.startsWith(`${folder}/`)) continue
      const end = file.path.indexOf('/', prefix.length)
      folder = end < 0 ? null : file.path.slice(0, end)
      entries.push(folder ?? file)
    }
    if (nextCursor === null) return { entries, next: null }
    // The first path after the folder, or after the file: `0` follows `/`, and no path has U+0001.
    next = folder === null ? `${items.at(-1)?.path}\u0001` : `${folder}0`
  }
  return { entries, next }
}

/** The files of a page with the folders that they are the first of, after `last`, the path before the page. */
export function withFolders(files: readonly HfFile[], prefix: string, last: string): Entry[] {
  let before = last
  return files.flatMap((file) => {
    const added: Entry[] = []
    for (let end = file.path.indexOf('/', prefix.length); end >= 0; end = file.path.indexOf('/', end + 1))
      if (!before.startsWith(file.path.slice(0, end + 1))) added.push(file.path.slice(0, end))
    before = file.path
    return [...added, file]
  })
}

/** What a state has at some paths; paths that it does not have are left out. */
export async function readEntries(
  call: Call,
  { owner, slug, commitId: commit }: FoundRepo,
  paths: readonly string[],
): Promise<Entry[]> {
  if (paths.length === 0) return []
  const repo = await call.ask('hf-entries', { owner, slug, commit, paths })
  return (repo?.at?.entries ?? []).map(({ path, file }) => file ?? path)
}
