/** A hub that speaks as Hugging Face does, as the source of an import. */
import type { IncomingMessage } from 'node:http'
import { fetchVerified } from '../fetch-verified.ts'
import { FetchFault } from '../guarded/fetch-fault.ts'
import { guardedGetter, parseUrl, shown } from '../guarded/guarded-get.ts'
import { landingOf } from '../landing.ts'
import { LocalError, TransferError } from '../problem.ts'
import type { RetryPolicy } from '../retry.ts'
import { streamOf } from '../stream-of.ts'
import { byteFault } from './check-bytes.ts'
import { endpointApi, isTransient, refused } from './endpoint-api.ts'
import type { Fetched, ImportSource, SourceState } from './source.ts'
import type { SourceName } from './source-name.ts'

/** What is asked where nothing else is named. */
export const HUGGING_FACE = 'https://huggingface.co'

export interface EndpointOptions {
  readonly name: SourceName
  /** Null for Hugging Face itself; another one is trusted, may be local, and may be without TLS. */
  readonly from: string | null
  /** Where another one keeps its files, if that is not a public address. */
  readonly store: string | null
  readonly token: string | null
  /** Whether all tags of the repo are imported, as snapshots. */
  readonly tags: boolean
  readonly signal: AbortSignal
  readonly retry: RetryPolicy
}

/** Throws a `LocalError` for an address that is none. */
export function endpointSource({ name, from, store, token, tags, signal, retry }: EndpointOptions): ImportSource {
  const endpoint = addressOf(from ?? HUGGING_FACE)
  const trustedOrigins = [from === null ? [] : endpoint.origin, store === null ? [] : addressOf(store).origin].flat()
  const key = token === null ? null : { origin: endpoint.origin, token }
  const getter = guardedGetter({ userAgent: 'hub-import', trustedOrigins, key, keepAlive: true })
  const api = endpointApi({ getter, endpoint, name, hasKey: key !== null, signal, retry })

  async function tagged(head: string): Promise<readonly SourceState[]> {
    const byCommit = new Map<string, string[]>()
    for (const { name: tag, targetCommit } of tags ? await api.tags() : [])
      byCommit.set(targetCommit, [...(byCommit.get(targetCommit) ?? []), tag])
    const wanted = [head, ...byCommit.keys()]
    const known = await api.messages(head, (some) => wanted.every((commit) => some.has(commit))).catch(ignoreFault)
    const order = [...known.keys()]
    // One that is not among the commits before the revision comes first.
    const others = [...byCommit.keys()].filter((commit) => commit !== head)
    others.sort((a, b) => (order.indexOf(b) >>> 0) - (order.indexOf(a) >>> 0))
    return [...others, head].map((commit) => ({
      commit,
      message: known.get(commit) || null,
      tags: byCommit.get(commit) ?? [],
    }))
  }

  async function fetch(commit: string, { folder, file, progress, slot }: Fetched): Promise<void> {
    const { digest } = file
    const listed = digest !== null && 'sha256' in digest ? digest.sha256 : null
    const landing = await landingOf(folder, file.path, `${commit} ${file.size}`)
    const url = api.fileUrl(commit, file.path)
    const sha256 = await fetchVerified({
      url: async () => url.href,
      ask: async (address, headers) => bytesOf(new URL(address), headers),
      size: file.size,
      landing,
      sha256: listed,
      progress,
      signal,
      retry,
      slot,
    })
    const fault = await byteFault(landing.target, file, signal, sha256)
    if (fault !== null) throw new LocalError(fault)
  }

  async function bytesOf(url: URL, headers: Readonly<Record<string, string>>): Promise<Response> {
    try {
      const response = await getter.ask(url, { signal, headers })
      const { statusCode: status = 0 } = response
      if (status !== 200 && status !== 206) throw refused(url, response)
      const range = response.headers['content-range']
      const headersOf: Record<string, string> = range === undefined ? {} : { 'content-range': range }
      return new Response(streamOf(chunksOf(response, url)), { status, headers: headersOf })
    } catch (error) {
      if (error instanceof FetchFault && isTransient(error)) throw asTransfer(error, url)
      throw error
    }
  }

  async function* chunksOf(response: IncomingMessage, url: URL): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    try {
      for await (const chunk of response) yield chunk as Buffer<ArrayBuffer>
    } catch (error) {
      signal.throwIfAborted()
      throw asTransfer(error, url)
    }
  }

  return {
    place: endpoint.origin,
    states: async () => tagged(await api.commit()),
    files: (commit) => api.files(commit),
    fetch,
  }
}

/** A transient fault, as transfers of files know it. */
function asTransfer(error: unknown, url: URL): TransferError {
  const reason = error instanceof Error ? error.message : String(error)
  const waits = error instanceof FetchFault && 'retryAfterMs' in error ? { retryAfterMs: error.retryAfterMs } : {}
  const transfer = new TransferError(`${shown(url)} was cut off: ${reason}`, shown(url), { cause: error })
  return Object.assign(transfer, waits)
}

/** What was said about a commit is no reason to stop. */
function ignoreFault(error: unknown): Map<string, string> {
  if (error instanceof FetchFault) return new Map()
  throw error
}

function addressOf(text: string): URL {
  const url = parseUrl(`${text.replace(/\/+$/, '')}/`)
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url
  throw new LocalError('The address of the source is not a URL of a hub.')
}
