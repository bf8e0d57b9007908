/**
 * GET of an untrusted URL: HTTPS to public addresses, few redirects, a timeout. Nothing of this machine is sent along
 * but a key that the caller names, and that to its own origin alone.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { FetchFault } from './fetch-fault.ts'
import { assertPublicHost, publicLookup } from './public-address.ts'

const MAX_REDIRECTS = 5
/** Without a byte. */
const SILENCE_MS = 30_000

/** Connections of one kind to one host that are kept for the next request. */
const KEPT_CONNECTIONS = 16

/** A body of an error or a redirect that is read to its end. */
const SHORT_BYTES = 65_536

interface Asked {
  readonly signal: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

export interface Getter {
  /** The response of status 200, its body unread. Rejects with a `FetchFault`, or with `signal`'s reason. */
  get(url: URL, signal: AbortSignal): Promise<IncomingMessage>
  /** The response that is not a redirect, of any status. */
  ask(url: URL, asked: Asked): Promise<IncomingMessage>
}

export interface GetterOptions {
  /** What the getter calls itself. */
  readonly userAgent: string
  /**
   * Hosts that the user of this process named: they may be local and without TLS. The address of a redirect to another
   * host may not.
   */
  readonly trustedOrigins: readonly string[]
  /** Sent to this origin, and not where it redirects to, unless that is another path of it. */
  readonly key?: { readonly origin: string; readonly token: string } | null
  /** Whether connections are used again: one that its server ended meanwhile is a transient fault. */
  readonly keepAlive?: boolean
}

/** A getter has its own connections. */
export function guardedGetter({ userAgent, trustedOrigins, key = null, keepAlive = false }: GetterOptions): Getter {
  const connections = {
    trusted: connectionsOf({ keepAlive }),
    others: connectionsOf({ keepAlive, lookup: publicLookup }),
  }
  const once = (url: URL, { signal, headers }: Asked, isKeyed: boolean) => {
    const isTrusted = trustedOrigins.includes(url.origin)
    if (!isTrusted) {
      if (url.protocol !== 'https:') throw new FetchFault(`${shown(url)} is not HTTPS.`)
      assertPublicHost(url)
    }
    const isHttp = url.protocol === 'http:'
    // One that is kept may lead to an address of the other rule: so each rule has connections of its own.
    const kept = isTrusted ? connections.trusted : connections.others
    const authorization = key !== null && isKeyed && url.origin === key.origin ? `Bearer ${key.token}` : null
    const request = (isHttp ? httpRequest : httpsRequest)(url, {
      agent: isHttp ? kept.http : kept.https,
      signal,
      headers: {
        'user-agent': userAgent,
        'accept-encoding': 'identity',
        ...headers,
        ...(authorization !== null && { authorization }),
      },
    })
    return new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve)
      request.setTimeout(SILENCE_MS, () =>
        request.destroy(
          new FetchFault(`${shown(url)} sent nothing for ${SILENCE_MS / 1000} s.`, { isTransient: true }),
        ),
      )
      request.on('error', (error) => reject(asFault(error, url, signal)))
      request.end()
    })
  }

  async function ask(url: URL, asked: Asked): Promise<IncomingMessage> {
    let at = url
    let isKeyed = true
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await once(at, asked, isKeyed)
      if (![301, 302, 303, 307, 308].includes(response.statusCode ?? 0)) return response
      const next = response.headers.location
      if (next === undefined) return response
      discard(response)
      const target = parseUrl(next, at)
      if (!target) throw new FetchFault(`${shown(at)} leads to an address that is not a URL.`)
      // An absolute address is signed, and carries its right in its query.
      isKeyed &&= /^\/(?!\/)/.test(next)
      at = target
    }
    throw new FetchFault(`${shown(url)} leads on more than ${MAX_REDIRECTS} times.`)
  }

  return {
    ask,
    async get(url, signal) {
      const response = await ask(url, { signal })
      if (response.statusCode === 200) return response
      response.destroy()
      throw new FetchFault(`${shown(url)} answered ${response.statusCode ?? 0}.`)
    },
  }
}

function connectionsOf(options: { readonly keepAlive: boolean; readonly lookup?: typeof publicLookup }) {
  const all = { maxFreeSockets: KEPT_CONNECTIONS, ...options }
  return { http: new HttpAgent(all), https: new HttpsAgent(all) }
}

/** A short body is read, so that the connection can be used again; another one ends it. */
export function discard(response: IncomingMessage): void {
  const bytes = Number(response.headers['content-length'] ?? Number.NaN)
  if (bytes <= SHORT_BYTES) response.resume()
  else response.destroy()
}

/** Null for what is not an address. Node before 22 has no `URL.parse`. */
export const parseUrl = (text: string, base?: URL): URL | null =>
  URL.canParse(text, base) ? new URL(text, base) : null

/** Signed addresses carry their right in the query. */
export const shown = (url: URL) => `${url.origin}${url.pathname}`

/** The reason of an abort stays what it is. */
export function asFault(error: unknown, url: URL, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof FetchFault) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new FetchFault(`${shown(url)} cannot be read: ${reason}`, { cause: error, isTransient: true })
}
