/** `/v1` as functions. */
import type { z } from 'zod'
import { type HubClientOptions, openCaller } from './call.ts'
import { runCalls } from './runs.ts'
import {
  anything,
  type CompletedUpload,
  completedFiles,
  type DownloadTarget,
  deletedFiles,
  type PresignFile,
  presignedDownloads,
  presignedUploads,
  type RemoteFile,
  type RemoteRepo,
  remoteRepo,
  repoPage,
  treePage,
} from './shapes.ts'

/** The most files, uploads or paths of one request (spec, "Limits"). */
export const BATCH = 100

const TREE_PAGE = 1000

/** For the many and long answers on files. */
const plain = { read: JSON.parse } as const

/** `owner/slug`. */
export interface RepoName {
  readonly owner: string
  readonly slug: string
}

export type HubClient = ReturnType<typeof createHubClient>

/** A client of one hub. Calls reject with `ProblemError` (the hub refused), `TransferError` (no usable answer) or the signal's reason. */
export function createHubClient(options: HubClientOptions) {
  const caller = openCaller(options)
  const { url: base, retry, signal, call } = caller

  const files = (repo: RepoName) => `${repoPath(repo)}/files`

  async function* tree(repo: RepoName, prefix = ''): AsyncGenerator<RemoteFile[]> {
    let cursor: string | null = null
    do {
      const query = new URLSearchParams({ limit: String(TREE_PAGE) })
      if (prefix !== '') query.set('prefix', prefix)
      if (cursor !== null) query.set('cursor', cursor)
      const page: z.output<typeof treePage> = await call(
        'GET',
        `${repoPath(repo)}/tree?${query}`,
        treePage,
        undefined,
        plain,
      )
      yield page.items
      if (page.next_cursor !== null && page.next_cursor === cursor) throw loops(base)
      cursor = page.next_cursor
    } while (cursor !== null)
  }

  async function* repos(filters: Readonly<Record<string, string | readonly string[]>>): AsyncGenerator<RemoteRepo[]> {
    let cursor: string | null = null
    do {
      const query = new URLSearchParams({ limit: '100' })
      for (const [name, value] of Object.entries(filters)) for (const one of [value].flat()) query.append(name, one)
      if (cursor !== null) query.set('cursor', cursor)
      const page: z.output<typeof repoPage> = await call('GET', `/v1/repos?${query}`, repoPage)
      yield page.items
      if (page.next_cursor !== null && page.next_cursor === cursor) throw loops(base)
      cursor = page.next_cursor
    } while (cursor !== null)
  }

  return {
    url: base,
    retry,
    signal,
    me: () => call('GET', '/v1/me', anything),
    getRepo: (repo: RepoName) => call('GET', repoPath(repo), remoteRepo),
    createRepo: (repo: RepoName, kind: string, visibility: string) =>
      call('POST', '/v1/repos', remoteRepo, { kind, slug: repo.slug, owner: repo.owner, visibility }),
    /** Pages of at most 100 repos, newest first. */
    repos,
    /** Pages of at most 1,000 files in byte order of path. */
    tree,
    presignUpload: (repo: RepoName, list: readonly PresignFile[]) =>
      call('POST', `${files(repo)}/presign-upload`, presignedUploads, { files: list }, plain),
    complete: async (repo: RepoName, uploads: readonly CompletedUpload[], key: string): Promise<RemoteFile[]> =>
      (await call('POST', `${files(repo)}/complete`, completedFiles, { uploads }, { ...plain, key })).files,
    presignDownload: async (repo: RepoName, paths: readonly string[]): Promise<DownloadTarget[]> =>
      (await call('POST', `${files(repo)}/presign-download`, presignedDownloads, { paths }, plain)).files,
    deleteFiles: (repo: RepoName, paths: readonly string[]) =>
      call('POST', `${files(repo)}/delete`, deletedFiles, { paths }, plain),
    /** The operations on training runs. */
    runs: runCalls(caller),
  }
}

function repoPath(repo: RepoName): string {
  return `/v1/repos/${encodeURIComponent(repo.owner)}/${encodeURIComponent(repo.slug)}`
}

function loops(base: string): Error {
  return new Error(`${base} gave the same page cursor twice; the listing was stopped.`)
}
