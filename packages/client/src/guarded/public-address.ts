/**
 * Which untrusted addresses a worker may fetch from: only public ones. The connection uses the address that was
 * checked.
 */
import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { FetchFault } from './fetch-fault.ts'

/**
 * False for private, loopback, link-local (where clouds keep their metadata), shared, reserved and multicast ones, and
 * for IPv6 that represents IPv4.
 */
export function isPublicAddress(address: string): boolean {
  // A zone (`fe80::1%eth0`) is of this machine alone.
  return isIP(address) !== 0 && !address.includes('%') && ipaddr.parse(address).range() === 'unicast'
}

/** Throws a `FetchFault` for a literal address: such a host is never looked up. */
export function assertPublicHost(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw refusal(host)
}

/**
 * Looks up a name for a connection. One address that is not public rejects the name; the connection makes no second
 * lookup.
 */
export const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '')
    const refused = addresses.find(({ address }) => !isPublicAddress(address))
    const [first] = addresses
    if (refused || !first) return done(refusal(hostname), '')
    if (options.all) done(null, addresses)
    else done(null, first.address, first.family)
  })
}

const refusal = (host: string) =>
  new FetchFault(`${host} is not a public address of the internet; nothing was asked of it.`)
