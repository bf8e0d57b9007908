/**
 * How many connections one address may have open: each takes a file descriptor, of which a process has some thousands,
 * and a client that has them all shuts everyone out.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../platform/network-of.ts'
import { OwnerCounts } from './owner-counts.ts'

/**
 * Twice the streams that an account may follow from one address, a fifth of the descriptors that a process usually has.
 */
const MAX_CONNECTIONS = 4_000

/**
 * Closes a connection too many at once. For a server without proxies before it, whose connections all come from few
 * addresses.
 */
export function limitConnections(server: Server, most = MAX_CONNECTIONS): void {
  const counts = new OwnerCounts(() => new Error('too many connections'))
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined) return
    try {
      socket.once('close', counts.take([{ who: networkOf(remoteAddress), whose: 'An address', bound: most }]))
    } catch {
      socket.destroy()
    }
  })
}
