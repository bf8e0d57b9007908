/** The API of Hugging Face as an import asks it: what a repo has at a commit, what was said about it, and its tags. */
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { FetchFault } from '../guarded/fetch-fault.ts'
import { discard, type Getter, parseUrl, shown } from '../guarded/guarded-get.ts'
import { readJson } from '../guarded/read-body.ts'
import { LocalError } from '../problem.ts'
import { parseRetryAfter, type RetryAfter, type RetryPolicy, withRetry } from '../retry.ts'
import type { SourceFile } from './source.ts'
import type { SourceName } from './source-name.ts'

/** A page of a listing has at most 1,000 files. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024

/** Pages of a listing. */
const MAX_PAGES = 1000

/** Of a repo: they are kept in memory. */
const MAX_FILES = 1_000_000

const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`))
const info = z.object({ sha: hex(40) })
const entries = z.array(
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('file'),
      path: z.string(),
      size: z.int().min(0),
      oid: z.string(),
      lfs: z.object({ oid: hex(64) }).nullish(),
    }),
    z.object({ type: z.literal('directory') }),
  ]),
)
const commits = z.array(z.object({ id: z.string(), title: z.string(), message: z.string().nullish() }))
const refs = z.object({ tags: z.array(z.object({ name: z.string(), targetCommit: hex(40) })) })

export interface EndpointParts {
  readonly getter: Getter
  /** Ends with a slash. */
  readonly endpoint: URL
  readonly name: SourceName
  readonly hasKey: boolean
  readonly signal: AbortSignal
  readonly retry: RetryPolicy
}

/** Functions that reject with a `FetchFault`, or a `LocalError` if the repo or the revision is not there. */
export function endpointApi({ getter, endpoint, name, hasKey, signal, retry }: EndpointParts) {
  const api = new URL(`api/${name.type}s/${name.repo}/`, endpoint)

  /** One answer, and the address of the next page. */
  const ask = <T extends z.ZodType>(url: URL, schema: T) =>
    withRetry(
      retry,
      signal,
      async () => {
        const response = await getter.ask(url, { signal, headers: { accept: 'application/json' } })
        if (response.statusCode !== 200) throw refused(url, response)
        const read = schema.safeParse(await readJson(response, { url, maxBytes: MAX_PAGE_BYTES, signal }))
        if (!read.success) throw new FetchFault(`${shown(url)} is not what a repo has there.`)
        return { value: read.data as z.output<T>, next: nextOf(response, url) }
      },
      isTransient,
    )

  async function pages<T extends z.ZodType>(first: URL, schema: T, enough: (value: z.output<T>) => boolean) {
    let url: URL | null = first
    for (let page = 0; url !== null; page += 1) {
      if (page === MAX_PAGES) throw new FetchFault(`${shown(first)} has more than ${MAX_PAGES} pages.`)
      const answer: { readonly value: z.output<T>; readonly next: URL | null } = await ask(url, schema)
      if (enough(answer.value)) return
      url = answer.next
    }
  }

  const missing = (what: string) =>
    new LocalError(
      `${what} is not at ${endpoint.origin}${hasKey ? ', or this key may not read it' : ', or is private: HF_TOKEN may hold a key that reads it'}.`,
    )

  return {
    /** The commit that the revision is now. */
    async commit(): Promise<string> {
      const url = new URL(`revision/${encodeURIComponent(name.revision)}`, api)
      const { value } = await ask(url, info).catch((error: unknown) => {
        throw isAbsent(error) ? missing(name.text) : error
      })
      return value.sha
    },
    async files(commit: string): Promise<SourceFile[]> {
      const found = new Map<string, SourceFile>()
      const url = new URL(`tree/${commit}?recursive=true`, api)
      let isBegun = false
      await pages(url, entries, (page) => {
        isBegun = true
        for (const entry of page) {
          if (entry.type !== 'file') continue
          const { path, size } = entry
          if (found.has(path)) throw new FetchFault(`${shown(url)} lists ${JSON.stringify(path)} twice.`)
          found.set(path, { path, size, digest: digestOf(entry) })
        }
        if (found.size > MAX_FILES) throw new FetchFault(`${shown(url)} has more than ${MAX_FILES} files.`)
        return false
      }).catch((error: unknown) => {
        // A repo without files has no tree. Any other refusal would make a repo that is there an empty one.
        if (isBegun || !isNoEntry(error)) throw error
      })
      return [...found.values()]
    },
    /** What was said about commits, from one on, the newest first, until `enough` of them are known. */
    async messages(commit: string, enough: (known: ReadonlyMap<string, string>) => boolean) {
      const known = new Map<string, string>()
      await pages(new URL(`commits/${commit}`, api), commits, (page) => {
        for (const { id, title, message } of page) known.set(id, [title, message].filter(Boolean).join('\n\n'))
        return enough(known)
      })
      return known
    },
    tags: async () => (await ask(new URL('refs', api), refs)).value.tags,
    /** The address of a file's bytes. */
    fileUrl: (commit: string, path: string) =>
      new URL(
        `${name.type === 'dataset' ? 'datasets/' : ''}${name.repo}/resolve/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`,
        endpoint,
      ),
  }
}

/** A small file has git's hash; every file of this hub and every large one the SHA-256. */
function digestOf({ oid, lfs }: { readonly oid: string; readonly lfs?: { readonly oid: string } | null | undefined }) {
  if (lfs) return { sha256: lfs.oid }
  return /^[0-9a-f]{40}$/.test(oid) ? { gitHash: oid } : null
}

/** The next page, if it is one of the same host: the key goes with it. */
function nextOf({ headers }: IncomingMessage, url: URL): URL | null {
  const [, target] = /<([^>]+)>\s*;\s*rel="?next"?/.exec([headers.link ?? ''].flat().join(',')) ?? []
  const next = target === undefined ? null : parseUrl(target, url)
  if (next !== null && next.origin !== url.origin) throw new FetchFault(`${shown(url)} goes on at another host.`)
  return next
}

interface Answered extends RetryAfter {
  readonly status: number
  /** What of it is not there, as the API calls it. */
  readonly code: string | null
}

/** The fault of an answer that is not a success, with what it says of itself. */
export function refused(url: URL, response: IncomingMessage): FetchFault & Answered {
  const status = response.statusCode ?? 0
  const said = response.headers['x-error-message']
  discard(response)
  const isTransient = status === 429 || status >= 500
  const fault = new FetchFault(`${shown(url)} answered ${status}${said ? `: ${said}` : '.'}`, { isTransient })
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'] ?? null, Date.now())
  const code = [response.headers['x-error-code']].flat()[0] ?? null
  return Object.assign(fault, { status, code, retryAfterMs })
}

export const isTransient = (error: unknown): boolean => error instanceof FetchFault && error.isTransient

/** A caller who cannot see a repo gets one of these, as for one that is not there. */
const isAbsent = (error: unknown): boolean =>
  error instanceof FetchFault && 'status' in error && [401, 403, 404].includes(Number(error.status))

const isNoEntry = (error: unknown): boolean =>
  error instanceof FetchFault && 'code' in error && error.code === 'EntryNotFound'
