/** The origin a client used to reach the hub: for links in responses of a hub that listens on every address without a PUBLIC_URL. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const asked = new AsyncLocalStorage<string>()

/** The origin of the current request, without a trailing slash; undefined outside a request or without `keepAskedOrigin`. */
export const askedOrigin = (): string | undefined => asked.getStore()

/** Makes `askedOrigin` available in every handler. `preValidation` is the first hook after body parsing, whose events lose the async context. */
export function keepAskedOrigin(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => asked.run(originOf(request), done))
}

const hostShape = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** From `Host`, as set by the client or a trusted proxy; the connection's local address if it is invalid. */
export function originOf(request: FastifyRequest): string {
  const protocol = request.protocol === 'https' ? 'https' : 'http'
  if (hostShape.test(request.host)) return `${protocol}://${request.host}`
  const { localAddress = '127.0.0.1', localPort } = request.socket
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '')
  return `${protocol}://${address.includes(':') ? `[${address}]` : address}:${localPort}`
}
