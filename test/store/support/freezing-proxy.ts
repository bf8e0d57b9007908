/** A proxy before PostgreSQL that can stop passing bytes on while all connections stay open, as a paused server or a network that loses all packets. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface FreezingProxy {
  /** The URL of the database through the proxy. */
  readonly url: string
  /** How many connections were opened through it. */
  readonly opened: number
  /** Passes on nothing of the connections that there are, and of new ones too unless `onlyThese`. */
  freeze(options?: { onlyThese?: boolean }): void
  /** Ends every connection, and new ones at once, until `thaw`. */
  sever(): void
  /** Passes on what has come meanwhile, and everything after it. */
  thaw(): void
  close(): Promise<void>
}

/** Before the server of `url`, over TCP. */
export async function freezingProxy(url: string): Promise<FreezingProxy> {
  const target = new URL(url)
  const pairs = new Set<readonly [Socket, Socket]>()
  let isFrozen = false
  let isSevered = false
  let opened = 0
  const server = createServer((client) => {
    if (isSevered) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    const pair = [client, upstream] as const
    pairs.add(pair)
    opened += 1
    for (const [one, other] of [pair, pair.toReversed()] as [Socket, Socket][]) {
      one.on('data', (bytes) => other.write(bytes))
      one.on('error', () => undefined)
      one.on('close', () => {
        other.destroy()
        pairs.delete(pair)
      })
    }
    if (isFrozen) for (const socket of pair) socket.pause()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  through.search = ''
  return {
    url: through.href,
    get opened() {
      return opened
    },
    freeze({ onlyThese = false } = {}) {
      isFrozen = !onlyThese
      for (const socket of [...pairs].flat()) socket.pause()
    },
    sever() {
      isSevered = true
      for (const [client] of pairs) client.resetAndDestroy()
    },
    thaw() {
      isFrozen = false
      isSevered = false
      for (const socket of [...pairs].flat()) socket.resume()
    },
    async close() {
      for (const socket of [...pairs].flat()) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
