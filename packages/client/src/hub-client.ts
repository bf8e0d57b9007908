/** Typed functions for `/v1`. */
import { z } from 'zod'
import { type Caller, openCaller } from './call.ts'
import type { HubClientOptions } from './caller-options.ts'
import { checkCalls } from './checks.ts'
import { deviceCalls } from './devices.ts'
import { endpointCalls } from './endpoints.ts'
import { send } from './http.ts'
import { repoLineage } from './lineage.ts'
import type { MessageOption } from './message-option.ts'
import { orgCalls } from './orgs.ts'
import { pages } from './pages.ts'
import { TransferError } from './problem.ts'
import { of, type RepoName } from './repo-name.ts'
import type { Parts, Query } from './request.ts'
import { runCalls } from './runs.ts'
import {
  anything,
  type BlobToPresign,
  type CommitBody,
  type CompletedBlob,
  cardReport,
  committed,
  type DownloadTarget,
  deletedFiles,
  presignedBlobs,
  presignedDownloads,
  type RemoteFile,
  type RemoteRepo,
  remoteRepo,
  repoPage,
  sentBlobs,
  treePage,
  viewer,
} from './shapes.ts'
import { signInCalls } from './sign-in.ts'
import { spendCalls } from './spend.ts'
import { operationCalls } from './typed/operation-calls.ts'
import type { RepoKind, Visibility } from './v1.ts'
import { versionCalls } from './versions.ts'

const TREE_PAGE = 1000
const HEALTH_TIMEOUT_MS = 5000

/** Fast parsing for the large responses of the file operations. */
const plain = { read: JSON.parse } as const

/** Filters of the repo listing. */
export type RepoFilters = Omit<Query<'GET /v1/repos'>, 'limit' | 'cursor'>

/**
 * A state of the repo instead of the current one: a change number, an RFC 3339 time, a run id, a commit id or the name
 * of a snapshot (`snapshot:005000` for one that starts with a digit).
 */
interface StateOption {
  readonly at?: string
}

export type HubClient = ReturnType<typeof createHubClient>

/**
 * A client of one hub. Calls reject with `ProblemError` (an error response), `TransferError` (no usable response) or
 * the signal's reason.
 */
export function createHubClient(options: HubClientOptions) {
  const caller = openCaller(options)
  const { url: base, retry, signal, call } = caller

  const repos = (filters: RepoFilters) =>
    pages<RemoteRepo>(base, (cursor) => call('GET /v1/repos', repoPage, { query: { limit: 100, ...filters, cursor } }))

  return {
    url: base,
    retry,
    signal,
    /**
     * Every operation by its name, for what is only forwarded: its answer is not checked. The members below check what
     * they answer.
     */
    v1: operationCalls(caller),
    me: () => call('GET /v1/me', viewer),
    /** The version of the hub; `null` of one that does not say. */
    health: () => readHealth(caller),
    getRepo: (repo: RepoName) => call('GET /v1/repos/{owner}/{repo}', remoteRepo, of(repo)),
    /** What a repo comes from and what uses it; null from a hub that does not tell. */
    lineage: (repo: RepoName) => repoLineage(caller, repo),
    /** Creates a repo with all that can be said of it. */
    newRepo: (body: Parts<'POST /v1/repos'>['body']) => call('POST /v1/repos', remoteRepo, { body }),
    updateRepo: (repo: RepoName, body: Parts<'PATCH /v1/repos/{owner}/{repo}'>['body']) =>
      call('PATCH /v1/repos/{owner}/{repo}', remoteRepo, { ...of(repo), body }),
    createRepo: ({ owner, slug }: RepoName, kind: RepoKind, visibility: Visibility) =>
      call('POST /v1/repos', remoteRepo, { body: { kind, slug, owner, visibility } }),
    /** Pages of at most 100 repos, newest first. */
    repos,
    ...fileCalls(caller),
    /** The card of a robot, with its numbers as they are written. */
    robotCard: (repo: RepoName) => call('GET /v1/robots/{owner}/{repo}/card', anything, of(repo)),
    /** Stores the card; rejects with its checks if one fails. */
    putRobotCard: (repo: RepoName, card: Readonly<Record<string, unknown>>) =>
      call('PUT /v1/robots/{owner}/{repo}/card', anything, { ...of(repo), body: card as never }),
    /** Checks a card, by default the stored one, against the files of its repo. */
    validateRobotCard: (repo: RepoName, card: Readonly<Record<string, unknown>> | null) =>
      call('POST /v1/robots/{owner}/{repo}/validate', cardReport, { ...of(repo), body: { card: card as never } }),
    /** Orgs: members and invitations. */
    orgs: orgCalls(caller),
    /** History, snapshots and states. */
    versions: versionCalls(caller),
    /** The operations on training runs. */
    runs: runCalls(caller),
    /** The operations on robot and model checks. */
    checks: checkCalls(caller),
    /** Signing in from a terminal, and API keys. */
    signIn: signInCalls(caller),
    /** Spend holds, and what accounts spend. */
    spend: spendCalls(caller),
    /** Devices, their approvals and sessions. */
    devices: deviceCalls(caller),
    /** The operations on inference endpoints. */
    endpoints: endpointCalls(caller),
  }
}

/** The operations on the files of a repo. */
function fileCalls({ url: base, call }: Caller) {
  return {
    /** Pages of at most 1,000 files in byte order of path. */
    tree: (repo: RepoName, prefix?: string, { at }: StateOption = {}) =>
      pages<RemoteFile>(base, (cursor) => {
        const query: Query<'GET /v1/repos/{owner}/{repo}/tree'> = {
          limit: TREE_PAGE,
          prefix: prefix || undefined,
          at,
          cursor,
        }
        return call('GET /v1/repos/{owner}/{repo}/tree', treePage, { ...of(repo), query, ...plain })
      }),
    /** Where to send contents that a commit is going to name, at most `BATCH`; in the order given. */
    presignBlobs: (repo: RepoName, blobs: readonly BlobToPresign[]) =>
      call('POST /v1/repos/{owner}/{repo}/blobs/presign', presignedBlobs, { ...of(repo), body: { blobs }, ...plain }),
    /** Sends contents, in base64, that a commit is going to name. */
    storeBlobs: (repo: RepoName, contents: readonly string[]) =>
      call('POST /v1/repos/{owner}/{repo}/blobs', sentBlobs, { ...of(repo), body: { contents }, ...plain }),
    /** Sends contents that a commit is going to name as the files of a tar archive; to older hubs 404 or 405. */
    storeArchive: (repo: RepoName, archive: Uint8Array<ArrayBuffer>) =>
      call('PUT /v1/repos/{owner}/{repo}/blobs/archive', sentBlobs, { ...of(repo), archive, ...plain }),
    /** Has the hub assemble and check contents whose parts are sent, at most `BATCH`, all or none. */
    completeBlobs: (repo: RepoName, uploads: readonly CompletedBlob[]) =>
      call('POST /v1/repos/{owner}/{repo}/blobs/complete', sentBlobs, { ...of(repo), body: { uploads }, ...plain }),
    /** Changes files of the repo as one change; a repeat under the same key changes nothing more. */
    commitFiles: (repo: RepoName, body: CommitBody, key: string) =>
      call('POST /v1/repos/{owner}/{repo}/commits', committed, { ...of(repo), body, ...plain, key }),
    presignDownload: async (
      repo: RepoName,
      paths: readonly string[],
      { at }: StateOption = {},
    ): Promise<DownloadTarget[]> => {
      const given = { ...of(repo), body: { paths, at }, ...plain }
      return (await call('POST /v1/repos/{owner}/{repo}/files/presign-download', presignedDownloads, given)).files
    },
    deleteFiles: (repo: RepoName, paths: readonly string[], { message }: MessageOption = {}) =>
      call('POST /v1/repos/{owner}/{repo}/files/delete', deletedFiles, {
        ...of(repo),
        body: { paths, message },
        ...plain,
      }),
  }
}

const healthy = z.looseObject({
  status: z.string(),
  version: z
    .string()
    .nullish()
    .transform((text) => text ?? null),
})

async function readHealth({ url, signal }: ReturnType<typeof openCaller>): Promise<z.output<typeof healthy>> {
  const address = `${url}/healthz`
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(HEALTH_TIMEOUT_MS)])
  const response = await send(address, { method: 'GET', signal: bounded, redirect: 'error' })
  const answer = healthy.safeParse(await response.json().catch(() => null))
  if (!answer.success) throw new TransferError(`${address} does not answer as a hub does.`, address)
  return answer.data
}
