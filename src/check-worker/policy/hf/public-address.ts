/** Which addresses a worker may fetch from when a stranger chose them: public ones only. The address that was checked is the one that is connected to. */
import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { FetchFault } from './fetch-fault.ts'

/** False for private, loopback, link-local (where clouds keep their metadata), shared, reserved and multicast ones, and for IPv6 that stands for IPv4. */
export function isPublicAddress(address: string): boolean {
  // A zone (`fe80::1%eth0`) is of this machine alone.
  return isIP(address) !== 0 && !address.includes('%') && ipaddr.parse(address).range() === 'unicast'
}

/** Throws a `FetchFault` for an address written as one: such a host is never looked up. */
export function assertPublicHost(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw refusal(host)
}

/** Looks a name up for a connection. One address that is not public refuses the name: it is not looked up a second time to be connected to. */
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
