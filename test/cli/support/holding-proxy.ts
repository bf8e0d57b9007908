/** A proxy before a hub that lets a test see each request and hold it, before the hub gets it or before its answer goes out. */
import { once } from 'node:events'
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDouble } from '@hub/testing/double'

export interface Exchange {
  readonly method: string
  readonly path: string
  readonly body: string
  /** Null before the hub has answered. */
  readonly status: number | null
  readonly isReplay: boolean
}

/** Whether to hold it forever. */
type Hold = (exchange: Exchange) => boolean

export interface HoldingProxy {
  readonly url: string
  /** All answers of the hub, in order. */
  readonly answered: Exchange[]
  /** Resolves when an exchange is held that `hold` says yes to. */
  hold(hold: Hold): Promise<Exchange>
  /** Holds nothing any more. */
  release(): void
  close(): Promise<void>
}

/** Forwards everything to the hub at `target`. */
export async function holdingProxy(target: string): Promise<HoldingProxy> {
  const { hostname, port } = new URL(target)
  let held = Promise.withResolvers<Exchange>()
  let hold: Hold = () => false
  const answered: Exchange[] = []
  const holds = (exchange: Exchange) => {
    if (!hold(exchange)) return false
    held.resolve(exchange)
    return true
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const asked = { method: request.method ?? '', path: request.url ?? '', body: bytes.toString() }
    if (holds({ ...asked, status: null, isReplay: false })) return
    const { method, url: path, headers } = request
    const sent = forward({ hostname, port, method, path, headers }).end(bytes)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const parts: Buffer[] = []
    for await (const part of answer) parts.push(part as Buffer)
    const exchange = { ...asked, status: answer.statusCode ?? 0, isReplay: 'idempotent-replayed' in answer.headers }
    answered.push(exchange)
    if (holds(exchange)) return
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...kept } = answer.headers
    response.writeHead(answer.statusCode ?? 0, kept)
    // Signed URLs name the hub itself: they go through here too.
    response.end(/json/.test(kept['content-type'] ?? '') ? renamed(Buffer.concat(parts)) : Buffer.concat(parts))
  }

  const renamed = (bytes: Buffer) => bytes.toString().replaceAll(new URL(target).origin, urlOf())
  const urlOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const server = createDouble((request, response) => {
    handle(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: urlOf(),
    answered,
    hold(next) {
      held = Promise.withResolvers<Exchange>()
      hold = next
      return held.promise
    },
    release() {
      hold = () => false
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
