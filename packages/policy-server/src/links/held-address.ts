/**
 * The address that devices reach: bound before anything is made or downloaded, so that one that cannot be had is told
 * at once.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { CannotListen } from '@hub/formats/listen-address'
import { UPGRADE_MS } from '../limits.ts'

/** Held for one listener after the other; between them devices get 503. */
export interface HeldAddress {
  /**
   * A server that listens there and answers nothing yet. The caller closes it; for the next one the address is bound
   * again. Rejects with `CannotListen`.
   */
  take(): Promise<Server>
  /** Closes the server if it was not taken. */
  release(): Promise<void>
}

/** Binds the address of `--listen`. Rejects with `CannotListen`. */
export async function holdAddress(host: string, port: number): Promise<HeldAddress> {
  let held: Server | null = await waitingServer(host, port)
  return {
    async take() {
      const server = held ?? (await waitingServer(host, port))
      held = null
      return server.removeAllListeners('request').removeAllListeners('upgrade')
    },
    async release() {
      const server = held
      held = null
      if (server === null) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function waitingServer(host: string, port: number): Promise<Server> {
  const server = createServer({ connectionsCheckingInterval: 1_000 }, (_, response) =>
    response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '2', connection: 'close' }).end(NOT_YET),
  )
  server.headersTimeout = UPGRADE_MS
  server.requestTimeout = UPGRADE_MS
  server.on('upgrade', (_, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    socket.end(
      `HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: text/plain\r\nRetry-After: 2\r\nContent-Length: ${Buffer.byteLength(NOT_YET)}\r\n\r\n${NOT_YET}`,
    )
  })
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    throw new CannotListen(error, { host, port, settings: { host: '--listen', port: '--listen' } })
  }
  return server
}

const NOT_YET = 'The server serves no endpoint yet.\n'
