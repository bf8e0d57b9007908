/** The public keys of the hub, kept while it is away. */

import { failureLine } from '@hub/client/internal'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWSHeaderParameters } from 'jose'

type Key = Awaited<ReturnType<ReturnType<typeof createLocalJWKSet>>>

export interface HubKeys {
  /**
   * The key of a token. One that is unknown is looked up again, at most every few seconds. Throws a JOSEError if there
   * is none.
   */
  keyOf(header: JWSHeaderParameters | undefined): Promise<Key>
  /** Whether the hub still publishes it: one that was withdrawn opens nothing, and what it opened ends. */
  has(kid: string): boolean
  close(): void
}

export interface KeyTiming {
  /** Between two readings. */
  readonly keysMs: number
  readonly unknownKeyMs: number
}

const READ_MS = 10_000
/** A hub has a few keys. */
const MAX_BYTES = 64 * 1024

/**
 * Reads `/.well-known/jwks.json` now, and again every `keysMs`; `refreshed` is called after each reading. Rejects if
 * the first one fails. While the hub does not answer the keys of the last reading stay: a token lives no longer than
 * its own expiry.
 */
export async function openHubKeys(
  url: string,
  { keysMs, unknownKeyMs }: KeyTiming,
  { refreshed, logLine }: { readonly refreshed: () => void; readonly logLine: (line: string) => void },
): Promise<HubKeys> {
  const stop = new AbortController()
  let set = await read(url, stop.signal)
  let [readAtMs, isAway] = [performance.now(), false]
  let reading: Promise<void> | null = null
  const again = async () => {
    readAtMs = performance.now()
    try {
      set = await read(url, stop.signal)
      isAway = false
      refreshed()
    } catch (error) {
      if (!isAway && !stop.signal.aborted)
        logLine(`the hub's keys cannot be read, the last ones stay: ${failureLine(error)}`)
      isAway = true
    }
  }
  const refresh = () => {
    reading ??= again().finally(() => {
      reading = null
    })
    return reading
  }
  const timer = setInterval(() => void refresh(), keysMs)
  const has = (kid: string) => set.keys.some((key) => key.kid === kid)
  return {
    has,
    async keyOf(header) {
      const kid = header?.kid
      // A set with one key would give it for any token without a name.
      if (kid === undefined) throw new errors.JWKSNoMatchingKey()
      if (!has(kid) && performance.now() - readAtMs > unknownKeyMs) await refresh()
      else if (!has(kid) && reading) await reading
      return await createLocalJWKSet(set)(header)
    },
    close() {
      clearInterval(timer)
      stop.abort(new Error('closed'))
    },
  }
}

async function read(url: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  const response = await fetch(`${url}/.well-known/jwks.json`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(READ_MS)]),
    redirect: 'error',
  })
  const text = await response.text()
  if (!response.ok || text.length > MAX_BYTES) throw new Error(`${url} has no keys (status ${response.status}).`)
  const found = JSON.parse(text) as JSONWebKeySet
  createLocalJWKSet(found)
  return found
}
