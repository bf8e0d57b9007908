/** Typed functions for `/v1`. */
import { type HubClientOptions, openCaller } from './call.ts'
import { checkCalls } from './checks.ts'
import { pages } from './pages.ts'
import type { Query } from './request.ts'
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
  viewer,
} from './shapes.ts'
import type { RepoKind, Visibility } from './v1.ts'

/** Maximum files, uploads or paths per request (spec, "Limits"). */
export const BATCH = 100

const TREE_PAGE = 1000

/** Fast parsing for the large responses of the file operations. */
const plain = { read: JSON.parse } as const

/** Filters of the repo listing. */
export type RepoFilters = Omit<Query<'GET /v1/repos'>, 'limit' | 'cursor'>

/** `owner/slug`. */
export interface RepoName {
  readonly owner: string
  readonly slug: string
}

export type HubClient = ReturnType<typeof createHubClient>

/** A client of one hub. Calls reject with `ProblemError` (an error response), `TransferError` (no usable response) or the signal's reason. */
export function createHubClient(options: HubClientOptions) {
  const caller = openCaller(options)
  const { url: base, retry, signal, call } = caller

  const tree = (repo: RepoName, prefix?: string) =>
    pages<RemoteFile>(base, (cursor) => {
      const query: Query<'GET /v1/repos/{owner}/{repo}/tree'> = {
        limit: TREE_PAGE,
        prefix: prefix || undefined,
        cursor,
      }
      return call('GET /v1/repos/{owner}/{repo}/tree', treePage, { ...of(repo), query, ...plain })
    })

  const repos = (filters: RepoFilters) =>
    pages<RemoteRepo>(base, (cursor) => call('GET /v1/repos', repoPage, { query: { limit: 100, ...filters, cursor } }))

  return {
    url: base,
    retry,
    signal,
    me: () => call('GET /v1/me', viewer),
    getRepo: (repo: RepoName) => call('GET /v1/repos/{owner}/{repo}', remoteRepo, of(repo)),
    createRepo: ({ owner, slug }: RepoName, kind: RepoKind, visibility: Visibility) =>
      call('POST /v1/repos', remoteRepo, { body: { kind, slug, owner, visibility } }),
    /** Pages of at most 100 repos, newest first. */
    repos,
    /** Pages of at most 1,000 files in byte order of path. */
    tree,
    presignUpload: (repo: RepoName, files: readonly PresignFile[]) =>
      call('POST /v1/repos/{owner}/{repo}/files/presign-upload', presignedUploads, {
        ...of(repo),
        body: { files },
        ...plain,
      }),
    complete: async (repo: RepoName, uploads: readonly CompletedUpload[], key: string): Promise<RemoteFile[]> => {
      const given = { ...of(repo), body: { uploads }, ...plain, key }
      return (await call('POST /v1/repos/{owner}/{repo}/files/complete', completedFiles, given)).files
    },
    presignDownload: async (repo: RepoName, paths: readonly string[]): Promise<DownloadTarget[]> => {
      const given = { ...of(repo), body: { paths }, ...plain }
      return (await call('POST /v1/repos/{owner}/{repo}/files/presign-download', presignedDownloads, given)).files
    },
    deleteFiles: (repo: RepoName, paths: readonly string[]) =>
      call('POST /v1/repos/{owner}/{repo}/files/delete', deletedFiles, { ...of(repo), body: { paths }, ...plain }),
    /** The card of a robot, with its numbers as they are written. */
    robotCard: (repo: RepoName) => call('GET /v1/robots/{owner}/{repo}/card', anything, of(repo)),
    /** The operations on training runs. */
    runs: runCalls(caller),
    /** The operations on robot and model checks. */
    checks: checkCalls(caller),
  }
}

const of = ({ owner, slug }: RepoName) => ({ path: { owner, repo: slug } })
