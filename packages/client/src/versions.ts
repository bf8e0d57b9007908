/** History, snapshots and states of a repo. */
import { z } from 'zod'
import { type Answer, conformsTo } from './agreement.ts'
import type { Caller } from './call.ts'
import type { MessageOption } from './message-option.ts'
import { pages } from './pages.ts'
import { of, type RepoName } from './repo-name.ts'
import { nullable, pageOf } from './shapes.ts'

const change = z.looseObject({
  seq: z.number(),
  /** Null from a hub without commit ids. */
  commit_id: nullable(z.string()),
  message: nullable(z.string()),
  time: z.string(),
  action: z.string(),
  actor: nullable(z.looseObject({ handle: z.string() })),
  files_added: z.number(),
  files_removed: z.number(),
  files_changed: z.number(),
  file_count: z.number(),
  total_bytes: z.number(),
  snapshots: z.array(z.string()),
  is_pinned: z.boolean(),
  kept_until: nullable(z.string()),
})
export type RemoteChange = z.output<typeof change>
const changePage = conformsTo<Answer<'listRepoHistory'>>()(pageOf(change))

/** What each list of versions says of one. */
const versionFacts = {
  commit_id: z.string(),
  seq: z.number(),
  message: nullable(z.string()),
  time: z.string(),
  author: nullable(z.looseObject({ handle: z.string() })),
  snapshots: z.array(z.string()),
}

const commit = z.looseObject({
  ...versionFacts,
  is_current: z.boolean(),
})
export type RemoteCommit = z.output<typeof commit>
const commitPage = conformsTo<Answer<'listCommits'>>()(pageOf(commit))

const snapshot = z.looseObject({
  name: z.string(),
  seq: z.number(),
  note: nullable(z.string()),
  created_at: z.string(),
  file_count: z.number(),
  total_bytes: z.number(),
})
type RemoteSnapshot = z.output<typeof snapshot>
const createdSnapshot = conformsTo<Answer<'createSnapshot'>>()(snapshot)
const snapshotPage = conformsTo<Answer<'listSnapshots'>>()(pageOf(snapshot))

const side = nullable(z.looseObject({ size: z.number(), sha256: nullable(z.string()) }))
const difference = z.looseObject({ path: z.string(), change: z.string(), before: side, after: side })
export type RemoteDifference = z.output<typeof difference>
const diffPage = conformsTo<Answer<'diffRepo'>>()(pageOf(difference))

const revision = z.looseObject({
  ...versionFacts,
  change: z.string(),
  previous_commit_id: nullable(z.string()),
  before: side,
  after: side,
})
export type RemoteFileRevision = z.output<typeof revision>
const revisionPage = conformsTo<Answer<'getFileHistory'>>()(pageOf(revision))

const restored = conformsTo<Answer<'restoreState'>>()(
  z.looseObject({ seq: z.number(), added: z.number(), removed: z.number(), changed: z.number() }),
)
const purged = conformsTo<Answer<'purgeFiles'>>()(
  z.looseObject({ purged: z.array(z.string()), missing: z.array(z.string()) }),
)

const PAGE = 100

export interface RestoreOptions extends MessageOption {
  readonly at: string
  readonly paths?: readonly string[]
  /** 412 if the repo is at another change by now. */
  readonly ifSeq?: number
}

/**
 * The operations on states, as functions of one caller. `at` is a change number, an RFC 3339 time, a run id, a commit id
 * or the name of a snapshot.
 */
export function versionCalls({ url, call }: Caller) {
  return {
    /** Pages of at most 100 changes, newest first. */
    history: (repo: RepoName) =>
      pages<RemoteChange>(url, (cursor) =>
        call('GET /v1/repos/{owner}/{repo}/history', changePage, { ...of(repo), query: { limit: PAGE, cursor } }),
      ),
    /** Pages of at most 100 commits, newest first: all that are left for writers, else the current and named ones. */
    commits: (repo: RepoName) =>
      pages<RemoteCommit>(url, (cursor) =>
        call('GET /v1/repos/{owner}/{repo}/commits', commitPage, { ...of(repo), query: { limit: PAGE, cursor } }),
      ),
    /** Pages of at most 100 versions in which one path changed, newest first; of those that `commits` lists. */
    fileHistory: (repo: RepoName, path: string) =>
      pages<RemoteFileRevision>(url, (cursor) =>
        call('GET /v1/repos/{owner}/{repo}/file-history', revisionPage, {
          ...of(repo),
          query: { path, limit: PAGE, cursor },
        }),
      ),
    /** Pages of at most 100 paths that differ, in byte order; `to` is the current state unless given. */
    diff: (repo: RepoName, from: string, to?: string) =>
      pages<RemoteDifference>(url, (cursor) =>
        call('GET /v1/repos/{owner}/{repo}/diff', diffPage, { ...of(repo), query: { from, to, limit: PAGE, cursor } }),
      ),
    /** Pages of at most 100 snapshots, newest first. */
    snapshots: (repo: RepoName) =>
      pages<RemoteSnapshot>(url, (cursor) =>
        call('GET /v1/repos/{owner}/{repo}/snapshots', snapshotPage, { ...of(repo), query: { limit: PAGE, cursor } }),
      ),
    /** Names a state, the current one unless `at` is given, and keeps its files. */
    createSnapshot: (repo: RepoName, name: string, options: { readonly at?: string; readonly note?: string } = {}) =>
      call('POST /v1/repos/{owner}/{repo}/snapshots', createdSnapshot, { ...of(repo), body: { name, ...options } }),
    deleteSnapshot: ({ owner, slug }: RepoName, name: string) =>
      call('DELETE /v1/repos/{owner}/{repo}/snapshots/{name}', z.null(), { path: { owner, repo: slug, name } }),
    /** Makes the live files those of a state, as a new change. */
    restore: (repo: RepoName, { at, paths, ifSeq, message }: RestoreOptions) =>
      call('POST /v1/repos/{owner}/{repo}/restore', restored, {
        ...of(repo),
        body: { at, paths, if_seq: ifSeq, message },
      }),
    /** Removes at most 100 paths from every state of the repo. It cannot be undone. */
    purge: (repo: RepoName, paths: readonly string[], { message }: MessageOption = {}) =>
      call('POST /v1/repos/{owner}/{repo}/files/purge', purged, { ...of(repo), body: { paths, message } }),
  }
}
