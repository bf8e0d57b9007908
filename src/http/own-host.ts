/**
 * Whether a request names this hub as its host. A page of another name can let that name lead to the hub's address (DNS
 * rebinding) and then reads the hub as its own origin; the browser still sends the page's name.
 */
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { isLoopbackName } from '@hub/formats/one-origin'
import type { Config } from '../platform/config.ts'

type Named = Pick<Config, 'host' | 'publicUrl' | 'metrics'>

/**
 * `header`: `Host` as the client sent it. Addresses are always the hub's: no DNS is asked for them. Names are those of
 * loopback and of this machine, the host of PUBLIC_URL, and those that HOST and METRICS_HOST give. Ports are not
 * compared: a forwarded one differs, and a page chooses its own.
 */
export function namesHub(header: string | undefined, { host, publicUrl, metrics }: Named): boolean {
  const asked = hostOf(header ?? '')
  if (asked === null) return false
  if (isIP(asked.replace(/^\[|\]$/g, '')) !== 0 || isLoopbackName(asked)) return true
  const own = [hostname(), host, metrics.listener?.host, publicUrl === null ? undefined : new URL(publicUrl).hostname]
  return own.some((name) => name?.toLowerCase() === asked)
}

/** In lower case, without port and without the dot of a full name; null if it is none. */
function hostOf(header: string): string | null {
  const url = `http://${header}`
  if (/[/@?#\\\s]/.test(header) || !URL.canParse(url)) return null
  return new URL(url).hostname.replace(/\.$/, '')
}
