/** The network of an address, for limits on anonymous clients. */
import { isIPv6 } from 'node:net'

/** The 16-bit groups of an IPv6 address that identify the network; a client can choose the rest freely. */
const NETWORK_GROUPS = 4
const GROUPS = 8

/**
 * An IPv4 address unchanged (unwrapped from IPv6 notation); an IPv6 address as its /64, which a client typically owns
 * entirely.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return address
  // Canonical spelling, with the last 32 bits in hexadecimal too.
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1)
  const [before = [], after = []] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const hidden = Array.from({ length: GROUPS - before.length - after.length }, () => '0')
  return `${[...before, ...hidden, ...after].slice(0, NETWORK_GROUPS).join(':')}::/64`
}
