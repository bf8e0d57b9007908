/** By which address a client reached the hub: for links in the answers of a hub that listens on every address and was told no PUBLIC_URL. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const asked = new AsyncLocalStorage<string>()

/** The origin of the request under way, without a trailing slash; undefined outside of one, and where `keepAskedOrigin` was not called. */
export const askedOrigin = (): string | undefined => asked.getStore()

/** From here on `askedOrigin` answers in every handler. `preValidation` is the first hook after the body, whose events carry no async context. */
export function keepAskedOrigin(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => asked.run(originOf(request), done))
}

const hostShape = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** What the client, or the proxies that are trusted, put into `Host`; the connection's own address where that is none. */
export function originOf(request: FastifyRequest): string {
  const protocol = request.protocol === 'https' ? 'https' : 'http'
  if (hostShape.test(request.host)) return `${protocol}://${request.host}`
  const { localAddress = '127.0.0.1', localPort } = request.socket
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '')
  return `${protocol}://${address.includes(':') ? `[${address}]` : address}:${localPort}`
}
