/** When two addresses are of one server. Pure. */

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether a host, as `URL.hostname` spells it, is one of the three names that a server on loopback is called by. */
export const isLoopbackName = (hostname: string): boolean => loopbackNames.has(hostname)

/** Whether scheme, host and port are the same. The names of loopback are one host. */
export function isOneOrigin(one: URL, other: URL): boolean {
  const isOneHost = one.hostname === other.hostname || (isLoopbackName(one.hostname) && isLoopbackName(other.hostname))
  return one.protocol === other.protocol && isOneHost && one.port === other.port
}
