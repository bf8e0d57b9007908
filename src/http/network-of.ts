/** Who an address belongs to, for bounds of what one stranger may take. */
import { isIPv6 } from 'node:net'

/** Groups of 16 bits of an IPv6 address that name its network; the rest is the client's own to choose. */
const NETWORK_GROUPS = 4
const GROUPS = 8

/** An IPv4 address as it is, also one written as IPv6; of an IPv6 address its /64, of which every client has all. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return address
  // The one spelling of an address, its last 32 bits in hexadecimal too.
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1)
  const [before = [], after = []] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const hidden = Array.from({ length: GROUPS - before.length - after.length }, () => '0')
  return `${[...before, ...hidden, ...after].slice(0, NETWORK_GROUPS).join(':')}::/64`
}
