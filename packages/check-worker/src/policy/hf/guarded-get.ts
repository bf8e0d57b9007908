/**
 * GET of an untrusted URL: HTTPS to public addresses, few redirects, a timeout. Nothing of this machine is sent along.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { FetchFault } from './fetch-fault.ts'
import { assertPublicHost, publicLookup } from './public-address.ts'

const MAX_REDIRECTS = 5
/** Without a byte. */
const SILENCE_MS = 30_000

export interface Getter {
  /** The response of status 200, its body unread. Rejects with a `FetchFault`, or with `signal`'s reason. */
  get(url: URL, signal: AbortSignal): Promise<IncomingMessage>
}

/**
 * `trustedOrigin`: of a mirror that the worker's operator named, which may be local and without TLS. No address that it
 * redirects to elsewhere is.
 */
export function guardedGetter(trustedOrigin: string | null): Getter {
  return {
    async get(url, signal) {
      let at = url
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
        const response = await getOnce(at, at.origin === trustedOrigin, signal)
        const status = response.statusCode ?? 0
        if (status === 200) return response
        response.destroy()
        const next = [301, 302, 303, 307, 308].includes(status) ? response.headers.location : undefined
        if (next === undefined) throw new FetchFault(`${shown(at)} answered ${status}.`)
        const target = URL.parse(next, at)
        if (!target) throw new FetchFault(`${shown(at)} leads to an address that is no URL.`)
        at = target
      }
      throw new FetchFault(`${shown(url)} leads on more than ${MAX_REDIRECTS} times.`)
    },
  }
}

/** Signed addresses carry their right in the query. */
export const shown = (url: URL) => `${url.origin}${url.pathname}`

function getOnce(url: URL, isTrusted: boolean, signal: AbortSignal): Promise<IncomingMessage> {
  if (!isTrusted) {
    if (url.protocol !== 'https:') throw new FetchFault(`${shown(url)} is not HTTPS.`)
    assertPublicHost(url)
  }
  const request = url.protocol === 'http:' ? httpRequest : httpsRequest
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        // A connection of its own: one that is kept may lead to an address of another rule.
        agent: false,
        signal,
        headers: { 'user-agent': 'hub-check-worker', 'accept-encoding': 'identity' },
        ...(isTrusted ? {} : { lookup: publicLookup }),
      },
      resolve,
    )
    sent.setTimeout(SILENCE_MS, () =>
      sent.destroy(new FetchFault(`${shown(url)} sent nothing for ${SILENCE_MS / 1000} s.`)),
    )
    sent.on('error', (error) => reject(asFault(error, url, signal)))
    sent.end()
  })
}

/** The reason of an abort stays what it is. */
export function asFault(error: unknown, url: URL, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof FetchFault) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new FetchFault(`${shown(url)} cannot be read: ${reason}`, { cause: error })
}
