/** `/v1` as functions: every call retries what passes by itself, and every POST carries an Idempotency-Key that its tries share until it is answered. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { refusal, send, shownUrl } from './http.ts'
import { type ProblemError, TransferError } from './problem.ts'
import { defaultRetry, type RetryPolicy, withRetry } from './retry.ts'
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

/** How long the hub may take to answer: completing hashes what was sent before it answers. */
const ANSWER_WITHIN_MS = 280_000

export interface HubClientOptions {
  /** Where the hub is, without `/v1`. */
  readonly url: string
  /** Null: anonymous, for public repos. */
  readonly token: string | null
  readonly retry?: RetryPolicy
  /** Ends every call of this client. */
  readonly signal?: AbortSignal
}

/** `owner/slug`. */
export interface RepoName {
  readonly owner: string
  readonly slug: string
}

export type HubClient = ReturnType<typeof createHubClient>

/** A client of one hub. Calls reject with `ProblemError` (the hub refused), `TransferError` (no usable answer) or the signal's reason. */
export function createHubClient(options: HubClientOptions) {
  const base = options.url.replace(/\/+$/, '')
  const retry = options.retry ?? defaultRetry
  const signal = options.signal ?? new AbortController().signal
  const authorization: Record<string, string> = options.token ? { authorization: `Bearer ${options.token}` } : {}

  async function call<T>(
    method: string,
    path: string,
    shape: z.ZodType<T>,
    body?: unknown,
    key: string = randomUUID(),
  ): Promise<T> {
    const headers: Record<string, string> = { accept: 'application/json', ...authorization }
    if (body !== undefined) headers['content-type'] = 'application/json'
    let tryKey = key
    return withRetry(retry, signal, async () => {
      if (method === 'POST') headers['idempotency-key'] = tryKey
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)])
      const init = { method, headers, signal: bounded, redirect: 'error' as const }
      const response = await bounding(signal, base + path, () =>
        send(base + path, body === undefined ? init : { ...init, body: JSON.stringify(body) }),
      )
      if (!response.ok) {
        const refused = await refusal(response)
        // The hub keeps a refusal under its key and would only say it again; what it does not keep goes on under the same one.
        if (isKept(refused)) tryKey = randomUUID()
        throw refused
      }
      return answer(response, base + path, shape)
    })
  }

  const files = (repo: RepoName) => `${repoPath(repo)}/files`

  async function* tree(repo: RepoName, prefix = ''): AsyncGenerator<RemoteFile[]> {
    let cursor: string | null = null
    do {
      const query = new URLSearchParams({ limit: String(TREE_PAGE) })
      if (prefix !== '') query.set('prefix', prefix)
      if (cursor !== null) query.set('cursor', cursor)
      const page: z.output<typeof treePage> = await call('GET', `${repoPath(repo)}/tree?${query}`, treePage)
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
      call('POST', `${files(repo)}/presign-upload`, presignedUploads, { files: list }),
    complete: async (repo: RepoName, uploads: readonly CompletedUpload[], key: string): Promise<RemoteFile[]> =>
      (await call('POST', `${files(repo)}/complete`, completedFiles, { uploads }, key)).files,
    presignDownload: async (repo: RepoName, paths: readonly string[]): Promise<DownloadTarget[]> =>
      (await call('POST', `${files(repo)}/presign-download`, presignedDownloads, { paths })).files,
    deleteFiles: (repo: RepoName, paths: readonly string[]) =>
      call('POST', `${files(repo)}/delete`, deletedFiles, { paths }),
  }
}

/** Whether the hub stores such a refusal as the answer to its Idempotency-Key (contract, "Additions"). */
function isKept({ status, kind }: ProblemError): boolean {
  return status < 500 && status !== 429 && !kind.startsWith('idempotency.')
}

function repoPath(repo: RepoName): string {
  return `/v1/repos/${encodeURIComponent(repo.owner)}/${encodeURIComponent(repo.slug)}`
}

/** Tells the caller's own abort from our limit on the time of one answer: the latter is a failure that may pass. */
async function bounding<T>(signal: AbortSignal, url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      throw new TransferError(`${shownUrl(url)} did not answer within ${ANSWER_WITHIN_MS / 1000} s.`, shownUrl(url), {
        cause: error,
      })
    }
    throw error
  }
}

async function answer<T>(response: Response, url: string, shape: z.ZodType<T>): Promise<T> {
  const text = await response.text().catch((error: unknown) => {
    throw new TransferError(`The answer of ${shownUrl(url)} broke off.`, shownUrl(url), { cause: error })
  })
  try {
    return shape.parse(JSON.parse(text))
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON'
    throw new Error(`${shownUrl(url)} answered ${response.status}, but not as /v1 does: ${why}. Is this a hub?`, {
      cause: error,
    })
  }
}

function loops(base: string): Error {
  return new Error(`${base} gave the same page cursor twice; the listing was stopped.`)
}
